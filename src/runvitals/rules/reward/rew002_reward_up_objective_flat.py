"""REW002."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.model.formatting import short_number
from runvitals.model.row import FloatArray
from runvitals.rules.outcome import course
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._kit import far_enough
from runvitals.rules.reward_parts import parts_of
from runvitals.signals.late import THIRD, early_median, late_median
from runvitals.signals.pairs import aligned
from runvitals.signals.robust import running_median, spread

MORE = ("throughput", "qps", "goodput", "completed", "served", "tokens_per", "requests_per")
LESS = ("latency", "delay", "ttft", "tbt", "wait", "queue", "response_time", "slo_violation")
MIN_POINTS = 30  # judgement
MIN_PROGRESS = 0.3  # of the plan, before the service has to follow (judgement)
BURST = 6.0  # spreads above the usual level, single points of noise never are (judgement)
MIN_BURSTS, MAX_BURSTS = 3, 0.3  # points, and the share of the run: more are another level
AROUND = 41  # points that make a level; bursts are shorter than half of them
ONE_VALUE = 1e-9  # of a value, within which it is the same one in 32 bits or 64
CHANCE = 2.0  # standard errors by which a better service may be chance


@rule(
    "REW002",
    "reward-up-objective-flat",
    severity="warning",
    needs=["reward/mean|outcome/return_mean", "env/metric"],
    families=["control"],
)
def reward_up_objective_flat(patient: Patient, *, within: float = 0.02) -> Iterator[Hit]:
    """The reward of a system tuned by RL rises, but its service does not improve.

    ## What it looks for
    Over at least 30 points, one of these:

    - The reward clearly rises, while no logged measure of the service has improved by more than 2%
      (`within`) from its first to its last third. Throughput and the like should go up; latency,
      delay and queues should go down.
    - At least three single points have a reward far above its usual level, while the service is no
      better than at other times. This is a notice while the outcome is doing well.
    - A part of the reward that is named after a measure of the service keeps one exact value for
      the second half of the run, while that measure moves. This is a notice.

    ## Why it matters
    The reward stands in for the service. If only the reward rises, one of its terms is masking
    another.

    ## Usual causes
    1. A penalty (latency, balance) is masked by another term.
    2. The weights of the reward were changed.
    3. The measurement window is longer than the rise.

    ## What to try
    Look at the parts of the reward at these steps, and check that the penalties are not zero.

    ## When to ignore it
    Load that grows during the run, so that keeping the service level is an achievement.

    ## Sources
    Training Monitoring Guide (reward spikes without better throughput).
    """
    reward = patient["reward/mean|outcome/return_mean"]
    services = [(series, sign) for series in patient.all("env/metric") if (sign := _sign(series))]
    if not services or len(reward) < MIN_POINTS or not far_enough(patient, MIN_PROGRESS):
        return
    if (masked := _masked(patient, services, within)) is not None:
        yield masked
    way = course(reward.values)
    if not way.good or not way.clearly_gained:
        if (hit := _bursts(patient, reward, services, within)) is not None:
            yield hit
        return
    judged: list[tuple[Series, float]] = []
    for series, sign in services:
        _, _, service = aligned(reward, series)
        if len(service) >= MIN_POINTS:
            judged.append((series, sign * _improvement(service)))
    if not judged or max(better for _, better in judged) > within:
        return
    worst, better = min(judged, key=lambda entry: entry[1])
    yield Hit(
        series=reward.name,
        span=reward.span(),
        message=f"reward rose from {short_number(way.start)} to {short_number(way.now)} while "
        f"{worst.name} got {abs(better):.0%} {'worse' if better < 0 else 'better'}",
        advice="look at the parts of the reward and check that the penalties still count",
        causes=("a penalty masked by another term", "changed reward weights"),
        also=tuple(series.name for series, _ in judged),
    )


def _masked(patient: Patient, services: list[tuple[Series, int]], within: float) -> Hit | None:
    """A part of the reward that no longer moves with the measure it is named after."""
    for part in parts_of(patient, MIN_POINTS):
        if part.only_punishes:
            continue
        word = _word(part.name)
        for series, _ in services:
            if word is None or word != _word(_full_name(series)):
                continue
            steps, paid, service = aligned(part.series, series)
            half = len(steps) // 2
            if len(steps) < MIN_POINTS or _moves(paid[half:], ONE_VALUE):
                continue
            if not _moves(service[half:], within):
                continue
            first = int(np.flatnonzero(np.abs(paid - paid[-1]) > ONE_VALUE).max(initial=-1)) + 1
            name, stays = part.series.name, len(steps) - first
            low, high = float(service[half:].min()), float(service[half:].max())
            return Hit(
                series=name,
                span=part.series.span(int(np.searchsorted(part.series.steps, steps[first]))),
                message=f"{name} pays exactly {short_number(paid[-1])} at the last {stays:,} points"
                f" while {series.name} moves between {short_number(low)} and {short_number(high)}",
                advice=f"check what {name} measures: it cannot tell a good decision from a bad one",
                severity="notice",
                causes=(
                    "a part that counts what was asked for, not what was done",
                    "a saturated part",
                ),
                also=(series.name,),
            )
    return None


def _moves(values: FloatArray, share: float) -> bool:
    """Whether values differ by more than this share of their level."""
    return float(np.ptp(values)) > share * abs(float(np.median(values)))


def _bursts(
    patient: Patient, reward: Series, services: list[tuple[Series, int]], within: float
) -> Hit | None:
    """Points of far more reward than usual, at which no service is better than at other times."""
    level = running_median(reward.values, AROUND)
    above = reward.values - level
    width = spread(above)
    found = above > BURST * width
    if width <= 0 or not MIN_BURSTS <= int(found.sum()) <= MAX_BURSTS * len(reward):
        return None
    judged: list[Series] = []
    for series, sign in services:
        steps, values, service = aligned(reward, series)
        at = np.isin(steps, reward.steps[found])
        if len(values) < MIN_POINTS or int(at.sum()) < MIN_BURSTS:
            continue
        usual, then = float(np.median(service[~at])), float(np.median(service[at]))
        chance = CHANCE * spread(service[~at]) / np.sqrt(int(at.sum()))
        if sign * (then - usual) > max(within * abs(usual), chance):
            return None
        judged.append(series)
    if not judged:
        return None
    where = np.flatnonzero(found)
    peak = int(where[np.argmax(reward.values[where])])
    return Hit(
        series=reward.name,
        span=reward.span(int(where[0]), int(where[-1])),
        message=f"reward spikes at {len(where):,} points, up to {short_number(reward.values[peak])} "
        f"(usually {short_number(float(np.median(reward.values)))}), and {judged[0].name} is no better "
        "there",
        advice="look at the parts of the reward at these steps, and check that the penalties count",
        severity="notice" if patient.health.good else None,
        causes=("a penalty masked by another term", "a bonus that can be farmed"),
        also=tuple(series.name for series in judged),
    )


def _sign(series: Series) -> int:
    """1 if more of it is better, -1 if less is, 0 if that is not known."""
    word = _word(_full_name(series))
    return 0 if word is None else -1 if word in LESS else 1


def _full_name(series: Series) -> str:
    return f"{series.name} {' '.join(series.labels.values())}"


def _word(name: str) -> str | None:
    """The measure of a service that a name mentions."""
    return next((word for word in (*LESS, *MORE) if word in name.lower()), None)


def _improvement(values: np.ndarray) -> float:
    """The last third against the first, as a share of the first."""
    early, late = early_median(values, THIRD), late_median(values, THIRD)
    return (late - early) / abs(early) if early else float(np.sign(late))
