import math

import numpy as np

from runvitals.rules.kit import FloatArray, Hit, Limit, Patient, Series, rule, short_number, stretch
from runvitals.rules.severity import suffers
from runvitals.rules.watched import whole
from runvitals.signals.late import THIRD, late

SCALE, BATCH = "net/noise_scale", "net/update_batch"


@rule("NET007", severity="notice", needs=[BATCH], min_points=6)
def batch_below_noise_scale(patient: Patient, *, limit: float = 10.0) -> Hit | None:
    """Updates follow the noise of a small batch, and the outcome gets nowhere.

    ## What it looks for
    `net/noise_scale` divided by `net/update_batch` (the samples in one update): above 10 (`limit`)
    in most measurements of the last third, while the outcome is bad or no better than at the start.
    A measurement in which the micro-batches share no direction at all counts as above.

    ## Why it matters
    An update on B samples makes 1 / (1 + scale / B) of the progress of a noise-free one. Far below
    the noise scale, larger batches cost no extra samples and save updates. If the learning rate was
    chosen for a larger batch, the noise undoes what the updates learn.

    ## Usual causes
    1. A batch cut down to fit into memory, without gradient accumulation to make up for it.
    2. Advantages or labels that are mostly noise.
    3. Nothing left to learn: on a plateau the signal shrinks and the noise scale grows by itself.

    ## What to try
    Accumulate more micro-batches per update, up to about the noise scale. Or lower the learning
    rate.

    ## When to ignore it
    The loss is already as low as the data allows.

    ## Sources
    McCandlish et al., "An empirical model of large-batch training" (2018), equation 2.7.
    """
    scale, batch = whole(patient, SCALE), whole(patient, BATCH)
    if batch is None or not suffers(patient):
        return None
    last_third = late(_times_the_batch(scale, batch), THIRD)
    above = int(np.count_nonzero(last_third > limit))
    if above * 2 <= len(last_third):
        return None
    samples = min(float(batch.last), 1e100)
    finite = last_third[np.isfinite(last_third)]
    typical = min(float(np.median(finite)), 1e100) * samples if len(finite) else math.inf
    noise = (
        f"the gradient noise scale is {short_number(typical)}"
        if len(finite)
        else "no signal could be measured"
    )
    shown = scale if scale is not None and len(finite) else batch
    return stretch(shown, max(0, len(shown) - len(last_third))).hit(
        f"{above} of the last {len(last_third)} measured gradients are mostly noise: an update "
        f"has {short_number(samples)} samples, {noise}",
        advice="accumulate more micro-batches per update, or lower the learning rate",
        causes=("batch too small for this task", "targets or advantages that are mostly noise"),
        limit=Limit(limit, "McCandlish et al. (2018)"),
    )


def _times_the_batch(scale: Series | None, batch: Series) -> FloatArray:
    """The noise scale of each update as a multiple of its batch; infinite where none was measured."""
    steps, values = ([], []) if scale is None else (scale.steps.tolist(), scale.values.tolist())
    measured = dict(zip(steps, values, strict=True))
    sizes = zip(batch.steps.tolist(), batch.values.tolist(), strict=True)
    times = [measured.get(step, math.inf) / size if size > 0 else 0.0 for step, size in sizes]
    return np.array(times)
