from dataclasses import dataclass

import numpy as np

from runvitals.rules.kit import Hit, IntArray, Patient, Series, Span, rule
from runvitals.signals.pairs import at_common_steps

MIN_POINTS = 50  # judgement: ranks take turns by chance for a while
MIN_RANKS = 3  # fewer have no middle one
SAME_RANK = 0.8  # of the steps (judgement)
WORTH_WAITING = 0.1  # of a step: less lost in a stage is not worth a word (judgement)
STEP = "time/step_s"
# that a rank spends on its own work; in the others it also waits for the rest
STAGES = tuple(
    f"time/{stage}_s"
    for stage in "forward backward training policy_update value_update generation reward logprob "
    "old_logprob ref_logprob inference env_step data".split()
)


@dataclass(frozen=True)
class _Slow:
    """One rank that is the slowest nearly always."""

    series: Series
    common: IntArray
    share: float  # of the steps in which it is the slowest
    ratio: float  # to the middle rank
    excess: float  # seconds beyond the middle rank


@rule("LOAD002", needs=[STEP])
def straggler_rank(patient: Patient, *, times: float = 1.3) -> Hit | None:
    """One rank is slower than all others, step after step.

    ## What it looks for
    `time/step_s` per rank (a `rank` label, or one series per rank). The same rank is the slowest in
    80% of at least 50 steps and takes 1.3 times as long as the median rank.

    If ranks wait for one another within a step, they all take equally long. The same check then
    applies to stages that each rank works on by itself (forward, backward, update, generation,
    reward, log-probabilities, data). The rank must lose at least a tenth of a step there.

    ## Why it matters
    In synchronous training all ranks wait for the slowest.

    ## Usual causes
    1. A faulty or throttled device.
    2. Poor placement of processes on the machine.
    3. Something else running on the same host.

    ## What to try
    Check the health and the clock speed of the device. Move the rank to another one.

    ## When to ignore it
    The rank has more work by design, as the first one often does. Look at the work itself.

    ## Sources
    Training Metrics Glossary (fast ranks wait for slow ones).
    """
    slow = _slow(patient, STEP, times)
    if slow is not None:
        return _hit(slow)
    step = patient.find(STEP)
    usual = float("nan") if step is None else float(np.median(step.values))
    found = [one for stage in STAGES if (one := _slow(patient, stage, times)) is not None]
    worth = [one for one in found if one.excess >= WORTH_WAITING * usual]
    if worth:
        most = max(worth, key=lambda one: one.excess)
        stage = (most.series.metric or most.series.name).removeprefix("time/").removesuffix("_s")
        return _hit(most, f" in the {stage.replace('_', ' ')} stage")
    return None


def _slow(patient: Patient, metric: str, times: float) -> _Slow | None:
    ranks = [s for s in patient.all(metric) if "rank" in s.labels]
    if len(ranks) < MIN_RANKS:
        return None
    common, table = at_common_steps(ranks)
    if len(common) < MIN_POINTS:
        return None
    slowest = np.bincount(np.argmax(table, axis=0), minlength=len(ranks))
    worst = int(np.argmax(slowest))
    middle = np.median(table, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.median(table[worst] / middle))
    share = float(slowest[worst] / table.shape[1])
    if share < SAME_RANK or not ratio > times:
        return None
    excess = float(np.median(table[worst] - middle))
    return _Slow(ranks[worst], common, share, ratio, excess)


def _hit(slow: _Slow, where: str = "") -> Hit:
    rank = slow.series.labels["rank"]
    return Hit(
        series=slow.series.name,
        span=Span(int(slow.common[0]), int(slow.common[-1]), len(slow.common)),
        message=f"rank {rank} takes {slow.ratio:.1f} times as long as the median rank{where} "
        f"and is the slowest in {slow.share:.0%} of steps",
        advice="check the device of this rank and what else runs on its host",
        causes=("a faulty or throttled device", "poor placement", "another process on the host"),
        rank=int(rank) if rank.isdigit() else None,
    )
