"""PERF005."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch, lasting, sustained_below

MIN_POINTS = 12  # judgement
MIN_SHARE = 0.2  # of the run, up to its end (judgement): saving lowers it now and then


@rule(
    "PERF005",
    "efficiency-floor",
    severity="notice",
    needs=["throughput/mfu|throughput/generation_tokens_per_s|throughput/tokens_per_s"],
)
def efficiency_floor(
    patient: Patient, *, mfu: float = 0.3, tokens_per_s: float = 1.0
) -> Iterator[Hit]:
    """The devices do far less work than they could.

    ## What it looks for
    Either of these in 8 of 10 points, for a fifth of the run and to its end:

    - `throughput/mfu` below 0.3: a notice. 0 means not measured.
    - Less than one token generated per second: a warning. No model that fits on a machine is that
      slow on it, unless the work runs on the wrong device.

    ## Why it matters
    Well-tuned training reaches 0.5 to 0.6 of what the device can do. Below 0.3, half of that is
    wasted.

    ## Usual causes
    1. Communication between devices.
    2. Data loading.
    3. Micro-batches that are too small.
    4. The wrong backend: a CPU fallback, MLX switched off.

    ## What to try
    Consider a faster backend for generation (MLX, vLLM, SGLang), and check which device is really
    used. Pack sequences and put more tokens into a micro-batch.

    ## When to ignore it
    Small models and test runs.

    ## Sources
    Training Metrics Glossary (MFU); TensorBoard Metrics Reference (below one token per second).
    """
    speed = patient.find("throughput/generation_tokens_per_s")
    if speed is not None and len(speed) >= MIN_POINTS:
        slow = _to_the_end(sustained_below(speed.values, tokens_per_s), len(speed))
        if slow is not None and speed.values.min() > 0:
            middle = float(np.median(speed.values[slow.first : slow.last + 1]))
            yield Hit(
                series=speed.name,
                span=slow.span(speed),
                message=f"generation runs at {middle:.2g} tokens per second, below {tokens_per_s:g}",
                advice="check which device is used, and consider a faster backend (MLX, vLLM)",
                severity="warning",
                causes=("the wrong device or backend", "the model does not fit into memory"),
            )
            return
    use = patient.find("throughput/mfu")
    if use is None or len(use) < MIN_POINTS or use.values.max() <= 0:
        return
    low = _to_the_end(sustained_below(use.values, mfu), len(use))
    if low is not None:
        middle = float(np.median(use.values[low.first : low.last + 1]))
        yield Hit(
            series=use.name,
            span=low.span(use),
            message=f"model FLOPs utilisation is {middle:.2f}, below {mfu:g}",
            advice="pack sequences and put more tokens into a micro-batch",
            causes=("communication", "data loading", "tiny micro-batches"),
        )


def _to_the_end(found: list[Stretch], count: int) -> Stretch | None:
    last = lasting(found, count)
    return last if last is not None and last.beyond >= MIN_SHARE * count else None
