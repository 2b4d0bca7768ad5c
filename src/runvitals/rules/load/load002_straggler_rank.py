"""LOAD002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Span
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

MIN_POINTS = 50  # judgement: ranks take turns by chance for a while
MIN_RANKS = 3  # fewer have no middle one
SAME_RANK = 0.8  # of the steps (judgement)
WARM_UP = 5  # steps: ranks compile and load their data at different speeds


@rule("LOAD002", "straggler-rank", severity="warning", needs=["time/step_s"])
def straggler_rank(patient: Patient, *, times: float = 1.3) -> Iterator[Hit]:
    """One rank is slower than all others, step after step.

    ## What it looks for
    `time/step_s` per rank (a label `rank`, or a series per rank): the same rank is the slowest in 80 %
    of at least 50 steps, and takes 1.3 times as long as the middle one.

    ## Why it matters
    In synchronous training all ranks wait for it.

    ## Usual causes
    1. A bad or throttled device.
    2. Processes placed badly on the machine.
    3. Something else that runs on the same host.

    ## What to try
    Check the health and the clock of the device; move the rank to another one.

    ## When to ignore it
    Ranks that have more work by design, as the first one often has: then look at the work itself.

    ## Sources
    Training Metrics Glossary (fast ranks wait for slow ones).
    """
    ranks = [s for s in patient.all("time/step_s") if "rank" in s.labels]
    if len(ranks) < MIN_RANKS:
        return
    common = ranks[0].steps
    for series in ranks[1:]:
        common = np.intersect1d(common, series.steps)
    if len(common) < MIN_POINTS:
        return
    table = np.array([s.values[np.searchsorted(s.steps, common)] for s in ranks])[:, WARM_UP:]
    slowest = np.bincount(np.argmax(table, axis=0), minlength=len(ranks))
    worst = int(np.argmax(slowest))
    middle = np.median(table, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.median(table[worst] / middle))
    if slowest[worst] < SAME_RANK * table.shape[1] or not ratio > times:
        return
    rank = ranks[worst]
    yield Hit(
        series=rank.name,
        span=Span(int(common[WARM_UP]), int(common[-1]), table.shape[1]),
        message=f"rank {rank.labels['rank']} takes {ratio:.1f} times as long as the others, "
        f"in {slowest[worst] / table.shape[1]:.0%} of the steps",
        advice="check the device of this rank, and what else runs on its host",
        causes=("a bad or throttled device", "bad placement", "another process on the host"),
    )
