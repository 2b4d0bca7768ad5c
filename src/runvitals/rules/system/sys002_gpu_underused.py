import math

import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, rule, stretch
from runvitals.signals.robust import autocorrelation_time

SINCE = (1 / 2, 3 / 4, 9 / 10)  # of the run: it may have begun late


@rule("SYS002", severity="notice", needs=["system/gpu_utilization_percent"], min_points=20)
def gpu_underused(patient: Patient, *, percent: float = 50.0) -> Hit | None:
    """The GPU is idle for at least half of the time.

    ## What it looks for
    The mean of `system/gpu_utilization_percent` clearly below 50% in the second half of the run,
    its last quarter or its last tenth, over at least 10 samples. A GPU that is at 0 all the time is
    not used by the run and does not count. It is always a notice, since small networks cannot fill a
    GPU.

    ## Why it matters
    You pay for idle time too.

    ## Usual causes
    1. Small batches or a small network.
    2. A slow input pipeline.
    3. An environment that needs the CPU.
    4. Devices that wait for each other.

    ## What to try
    Use larger batches or more environments. Profile one step.

    ## When to ignore it
    Classic control and other small tasks, for which a CPU is the better device.

    ## Sources
    TensorBoard Metrics Reference (above 50%); Training Metrics and Telemetry.
    """
    found = patient.all("system/gpu_utilization_percent")
    busy = [series for series in found if _mean(series.part(len(series) // 2)) > 1]
    if not busy:
        return None
    used = max(busy, key=_mean)
    parts = (used.part(int(share * len(used))) for share in SINCE)
    idle = (one for one in parts if len(one) >= 10 and _mean(one) + 2 * _error(one) < percent)
    if (most := next(idle, None)) is None:
        return None
    mean = _mean(most)
    cpu = patient.find("system/cpu_percent")
    bound = cpu is not None and float(np.median(cpu.values)) > 90
    return stretch(most, 0).hit(
        f"the GPU is busy {mean:.0f}% of the time"
        + (", and the CPU is the bottleneck" if bound else ""),
        advice="use larger batches or more environments; profile one step",
        causes=("small batches", "a slow input pipeline", "an environment that needs the CPU"),
    )


def _mean(series: Series) -> float:
    return float(series.values.mean()) if len(series) else 0.0


def _error(series: Series) -> float:
    """Of the mean, wandering allowed for."""
    values = series.values
    return float(values.std()) * math.sqrt(autocorrelation_time(values) / len(values))
