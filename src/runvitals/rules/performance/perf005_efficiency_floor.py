"""PERF005."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch, sustained_below

LEAST_POINTS = 12  # judgement
MOST_OF_RUN = 0.8  # of its points (judgement): saving and evaluation lower it now and then


@rule(
    "PERF005",
    "efficiency-floor",
    severity="notice",
    needs=["throughput/mfu|throughput/generation_tokens_per_s|throughput/tokens_per_s"],
    families=["llm"],
)
def efficiency_floor(
    patient: Patient, *, mfu: float = 0.3, tokens_per_s: float = 1.0
) -> Iterator[Hit]:
    """The devices do far less work than they could.

    ## What it looks for
    `throughput/mfu` below 0.3 in 8 of 10 points and most of the run (a notice; 0 means not measured),
    or less than one token generated per second, which is a warning: no model that fits a machine is so
    slow on it, unless the work runs on the wrong device.

    ## Why it matters
    Well-tuned training reaches 0.5 to 0.6 of what the device can do; below 0.3 half of it is idle.

    ## Usual causes
    1. Communication between devices.
    2. Loading of data.
    3. Micro-batches that are too small.
    4. The wrong backend: a CPU fallback, MLX switched off.

    ## What to try
    Pack sequences, put more tokens into a micro-batch, and check which device is really used.

    ## When to ignore it
    Small models and test runs.

    ## Sources
    Training Metrics Glossary (MFU); TensorBoard Metrics Reference (below one token per second).
    """
    speed = patient.find("throughput/generation_tokens_per_s")
    if speed is not None and len(speed) >= LEAST_POINTS:
        slow = _most_of(sustained_below(speed.values, tokens_per_s), len(speed))
        if slow is not None and speed.values.min() > 0:
            yield Hit(
                series=speed.name,
                span=slow.span(speed),
                message=f"generation makes less than {tokens_per_s:g} token per second",
                advice="check which device is used; switch the accelerated backend on",
                severity="warning",
                causes=("the wrong device or backend", "the model does not fit into memory"),
            )
            return
    use = patient.find("throughput/mfu")
    if use is None or len(use) < LEAST_POINTS or use.values.max() <= 0:
        return
    low = _most_of(sustained_below(use.values, mfu), len(use))
    if low is not None:
        middle = sorted(use.values.tolist())[len(use) // 2]
        yield Hit(
            series=use.name,
            span=low.span(use),
            message=f"model FLOPs utilisation is {middle:.2f}, below {mfu:g}",
            advice="pack sequences and put more tokens into a micro-batch",
            causes=("communication", "data loading", "tiny micro-batches"),
        )


def _most_of(found: list[Stretch], count: int) -> Stretch | None:
    long = [one for one in found if one.beyond >= MOST_OF_RUN * count]
    return max(long, key=lambda one: one.beyond) if long else None
