"""REW001."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series
from runvitals.rules.outcome import Course, course
from runvitals.rules.outcome.reading import read
from runvitals.rules.outcome.roles import ROLES
from runvitals.rules.outcome.sentences import told
from runvitals.rules.outcome.settling import follows_exploration, settling
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._kit import far_enough
from runvitals.signals.crossing import Stretch
from runvitals.signals.pairs import aligned

NEXT_TO_NOTHING = 0.1
PROXIES = "outcome/return_mean|outcome/return_shaped_mean|reward/score_mean|reward/mean"
TRUTHS = "outcome/success_rate|eval/success_rate|outcome/win_rate|outcome/score_mean"
PARTS = "reward/component_mean"  # one of them may be logged and not count in the total
LENGTH = "outcome/episode_length_mean"  # in a few known tasks it tells of success
MIN_POINTS = 10  # that both have at the same steps
HALF = 0.5  # of the plan, before success has to show
SLIPS = 0.02  # of its range, by which a return still holds (judgement)
AROUND = 2  # points before and after the best
ADVICE = "watch episodes with high reward, and log the parts of the reward"
CAUSES = (
    "a bonus or shaping term that can be farmed",
    "success is measured on another distribution",
    "success is still out of reach",
)


def _holds(paid: FloatArray, real: Course) -> bool:
    """Whether the return did not fall together with the outcome."""
    at = min(real.best_index, len(paid) - 1)
    then, now = float(np.mean(paid[max(0, at - AROUND) : at + AROUND + 1])), course(paid).now
    return now >= then - SLIPS * float(np.ptp(paid))


def _as_told(patient: Patient, series: Series, otherwise: Course) -> Course:
    """The course of all its rows, as the verdict and every page give its figures."""
    outcomes = patient.health.outcomes
    for one in (outcomes.training, outcomes.held_out, outcomes.success):
        if one is not None and one.series.name == series.name:
            return one.course
    role = next((one for one in ROLES if one.metric == series.metric), None)
    return otherwise if role is None else read(patient, role, series).course


def _another_rises(patient: Patient, truth: Series) -> bool:
    """Whether another measure of success does rise."""
    for metric in ("eval/success_rate", *TRUTHS.split("|")):
        series = patient.find(metric)
        if series is None or series.name == truth.name:
            continue
        if course(series.values, "rate", ceiling=1.0).shape in ("rose", "high"):
            return True
    return False


@rule(
    "REW001",
    "return-up-success-flat",
    severity="warning",
    verdict="not learning",
    needs=[PROXIES, f"{TRUTHS}|{PARTS}|{LENGTH}"],
    families=["rl"],
)
def return_up_success_flat(patient: Patient, *, ceiling: float = 0.9) -> Iterator[Hit]:
    """The return rises but the task is done no better, or worse: the reward pays for the wrong
    thing.

    ## What it looks for
    A clear rise of the return (or reward), while an independent outcome (success, wins, a task
    score) stays where it was, allowing for noise, and below `ceiling` (0.9). With 30 or more
    points, a gain below 0.1 counts as none, however noisy they are.

    These count as independent too:

    - A part of the reward that is logged but has a weight of 0 in it. The weights are read from the
      log or the config, or inferred if the other parts account for all changes of the total.
    - In CartPole, Acrobot and MountainCar, the length of episodes, if the returns are not those of
      the task's own reward. The task is recognised by the settings, or by the name of the run or
      its folder.

    It is critical if the outcome falls, or has lost an earlier rise, while the return holds or
    rises. It is silent if the return only rises because there are fewer random actions, which takes
    no learning.

    ## Why it matters
    Reward hacking looks like perfect training on every other chart. Only a measure other than the
    reward can reveal it.

    ## Usual causes
    1. A bonus or shaping term that can be collected forever.
    2. Success is measured on a different distribution than the one trained on.
    3. Success is still out of reach, and the shaping only leads towards it.

    ## What to try
    Watch or read twenty episodes with high reward. Log the parts of the reward. Go back to before
    the gap opened.

    ## When to ignore it
    Early on, in tasks where success comes late and all at once.

    ## Sources
    Training Metrics and Telemetry (return up, success flat); the RHOB audit of reward hacking
    (detectors without an outcome are at chance).
    """
    hit = statement(patient, "REW001", advice=ADVICE, causes=CAUSES)
    if hit is not None:
        yield hit
        return
    proxy, truth = patient[PROXIES], patient.find(*TRUTHS.split("|"))
    if truth is None:
        return
    steps, paid, done = aligned(proxy, truth)
    if len(paid) < MIN_POINTS:
        return
    if "win_rate" in (truth.metric or "") and patient.find("outcome/elo") is not None:
        return
    way, real = course(paid), course(done, "rate", ceiling=1.0)
    if way.shape not in ("rose", "high") or real.now >= ceiling:
        return
    falls = real.falls and _holds(paid, real)
    if not falls:
        if not real.gained_at_most(NEXT_TO_NOTHING) or not far_enough(patient, HALF):
            return
        if settling(patient) or _another_rises(patient, truth):
            return
        if follows_exploration(patient, proxy):
            return
    first = real.begins if falls else 0
    up, back = _as_told(patient, proxy, way), _as_told(patient, truth, real)
    if up.now <= up.start:
        return  # of all its rows the return shows no rise
    now = told(back.now)
    verb = f"fell from {told(back.best)} to {now}" if falls else f"stays at {now}"
    at = np.searchsorted(truth.steps, steps[[min(first, len(steps) - 1), -1]])
    at = np.minimum(at, len(truth) - 1)
    yield Hit(
        series=truth.name,
        span=Stretch(int(at[0]), int(at[1]), 0).span(truth),
        message=f"{truth.name} {verb} while {proxy.name} rose from {told(up.start)} to "
        f"{told(up.now)}",
        advice=ADVICE,
        severity="critical" if falls and not patient.health.good else None,
        causes=CAUSES,
        also=(proxy.name,),
    )
