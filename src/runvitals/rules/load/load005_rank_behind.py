import time

import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, Span, rule

UNFINISHED = frozenset({"running", "failed", "crashed", "killed"})


@rule("LOAD005", severity="critical", fact=True)
def rank_behind(patient: Patient, *, seconds: float = 60.0, intervals: float = 5.0) -> Hit | None:
    """One rank stopped logging while the others went on.

    ## What it looks for
    The last step of each rank. In a live run, a rank that is behind the others and has logged nothing
    for a minute, or for five times its usual interval if that is longer. In a run that crashed or was
    killed, ranks whose record ends at an earlier step than that of the others.

    ## Why it matters
    The others wait in the next collective call until its time-out, often ten minutes or more, and the
    error then names another rank than the one that hangs.

    ## Usual causes
    1. The rank ran out of memory or lost its device.
    2. It got a batch of another shape, and waits in another call than the rest.
    3. Its host or its data loader hangs.

    ## What to try
    Look at the output and the stack of that rank (`py-spy dump`) before the others time out.

    ## When to ignore it
    Ranks that only log now and then, by design.

    ## Sources
    PyTorch's flight recorder for NCCL time-outs; veRL and OpenRLHF issues on hanging ranks.
    """
    run = patient.run
    if run.status not in UNFINISHED or patient.until is not None:
        return None
    ranks = _ranks(patient)
    if len(ranks) < 2:
        return None
    reached = {rank: int(series.steps[-1]) for rank, series in ranks.items()}
    slowest = min(reached, key=lambda rank: (reached[rank], rank))
    front = int(np.median(list(reached.values())))
    last = reached[slowest]
    if last >= front or (
        run.status == "running" and not _quiet(ranks[slowest], seconds, intervals)
    ):
        return None
    listed = sorted(reached.items(), key=lambda one: (one[1], one[0]))[:8]
    steps = ", ".join(f"{rank}: {step:,}" for rank, step in listed)
    return Hit(
        series=ranks[slowest].name,
        span=Span(last, max(reached.values()), 1),
        message=f"rank {slowest} stopped at step {last:,}, the others reached {front:,} "
        f"(last step by rank: {steps}{', ...' if len(reached) > 8 else ''})",
        advice=f"look at the output and the stack of rank {slowest} first",
        causes=("it ran out of memory or lost its device", "a deadlock", "its host hangs"),
        rank=slowest,
    )


def _ranks(patient: Patient) -> dict[int, Series]:
    """By rank the series that came furthest, of the names that several ranks log."""
    run, found = patient.run, dict[int, Series]()
    for name in run.names():
        if len(run.points.ranks(name)) < 2:
            continue
        for series in run.select(name):
            rank = series.labels.get("rank", "")
            if rank.isdigit() and len(series):
                known = found.get(int(rank))
                if known is None or series.steps[-1] > known.steps[-1]:
                    found[int(rank)] = series
    return found


def _quiet(series: Series, seconds: float, intervals: float) -> bool:
    """True if it has been silent for much longer than usual."""
    gaps = np.diff(series.times)
    usual = float(np.median(gaps)) if len(gaps) else 0.0
    return time.time() - float(series.times[-1]) > max(seconds, intervals * usual)
