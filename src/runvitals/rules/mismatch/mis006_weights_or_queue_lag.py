from collections.abc import Iterator

from runvitals.rules.kit import Hit, Patient, above, rose, rule
from runvitals.signals.pairs import ratio

SYNC, QUEUE = "time/weight_sync_s", "async/queue_size"
AGE = ("async/staleness_max", "async/staleness_mean")


@rule("MIS006", needs=[f"{SYNC}|{QUEUE}"], min_points=12, excused_by_outcome=True)
def weights_or_queue_lag(
    patient: Patient, *, sync_share: float = 0.3, times: float = 3.0
) -> Iterator[Hit | None]:
    """New weights or waiting samples hold the run up.

    ## What it looks for
    Synchronising weights takes more than 30% of the step for a fifth of the run, or the queue between
    generation and training has grown to three times its size while the oldest sample grew older too.
    It is a notice while the outcome is doing well.

    ## Why it matters
    While weights travel, nobody generates. A queue that grows makes every sample older than the one
    before, until the trainer learns from a policy that is gone.

    ## Usual causes
    1. Weights go through disk or over a slow link.
    2. More samples are generated than are trained on.
    3. Training slows down.

    ## What to try
    Send weights by NCCL or shared memory and in buckets. Bound the queue by the allowed staleness, and
    move devices from generation to training.

    ## When to ignore it
    Weights are synchronised rarely on purpose.

    ## Sources
    AReaL (2025), staleness-aware training; veRL's fully asynchronous trainer; prime-rl.
    """
    sync, step = patient.find(SYNC), patient.find("time/step_s")
    part = None if sync is None or step is None else ratio(sync, step)
    found = above(part, sync_share, to_end=True)
    yield found and found.hit(
        f"synchronising weights takes {found.level:.0%} of the step",
        advice="send weights by NCCL or shared memory, in buckets, or less often",
        causes=("weights go through disk or a slow link", "weights are sent too often"),
    )
    grown, older = rose(patient.find(QUEUE), times), rose(patient.find(*AGE), 1.5)
    yield (
        grown
        and older
        and grown.hit(
            f"the queue of samples has grown from {grown.before:.3g} to {grown.level:.3g}, and the "
            "samples in it are older",
            advice="bound the queue by the allowed staleness, or give training more devices",
            causes=("more is generated than trained on", "training slows down"),
            also=(older.series.name,),
        )
    )
