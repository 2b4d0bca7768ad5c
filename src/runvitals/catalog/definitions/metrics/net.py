"""Metrics of the network itself, as `rv.watch(model, optimizer)` measures them."""

from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "net/grad_norm",
        meaning="Norm of the gradient that the optimiser is given, overall and by block (label block)",
        unit="norm",
        direction="neutral",
        category="net",
        title="Gradient norm by block",
        watch_for=(
            "Compare the blocks: one that is orders of magnitude below the others does not learn, one "
            "far above them dominates the update. Taken as the optimiser sees it, after clipping."
        ),
        related=("net/update_ratio", "optim/grad_norm"),
        not_the_same_as=("optim/grad_norm",),
    ),
    Metric(
        "net/weight_norm",
        meaning="Norm of the weights, overall and by block (label block)",
        unit="norm",
        direction="neutral",
        category="net",
        title="Weight norm by block",
        watch_for=(
            "Moves slowly. Steady growth without weight decay shrinks every later update; a jump is an "
            "update that was far too large."
        ),
        related=("net/update_ratio", "optim/param_norm", "optim/weight_decay"),
    ),
    Metric(
        "net/update_ratio",
        meaning="Norm of one update divided by the norm of the weights (label block)",
        unit="ratio",
        direction="target",
        category="net",
        title="Update-to-weight ratio",
        healthy=(
            Band(
                1e-5,
                1e-1,
                why=(
                    "around 0.001 is usual; below a hundredth of it hardly anything is learned, above "
                    "a tenth each update rewrites what was learned"
                ),
                source="CS231n, Neural Networks Part 3 (ratio of updates to weights)",
                context="after warm-up; two orders of magnitude either side of 0.001",
                kind="usual",
            ),
        ),
        watch_for=(
            "The step as the network feels it, after Adam, clipping and schedule. It should fall with "
            "the learning rate; exactly 0 means that the weights do not move at all."
        ),
        related=("net/grad_norm", "net/weight_norm", "optim/learning_rate"),
    ),
    Metric(
        "net/dead_units",
        meaning=(
            "Share of rectified units that fired for no sample of the last five measured batches "
            "(label block)"
        ),
        unit="ratio",
        direction="lower",
        category="net",
        title="Dead units",
        watch_for=(
            "A rectifier that never fires gets no gradient and cannot come back. A share that jumps "
            "after a large update was killed by it."
        ),
        related=("net/saturated_units", "net/update_ratio"),
    ),
    Metric(
        "net/saturated_units",
        meaning=(
            "Share of tanh and sigmoid units that stay within 1% of their ends for all samples of the "
            "last five measured batches (label block)"
        ),
        unit="ratio",
        direction="lower",
        category="net",
        title="Saturated units",
        watch_for="At the flat end of its curve a unit passes hardly any gradient on.",
        related=("net/dead_units",),
    ),
    Metric(
        "net/noise_scale",
        meaning=(
            "Gradient noise scale: the batch size at which noise and signal of the gradient are equal, "
            "from the micro-batches of an update"
        ),
        unit="sample",
        direction="neutral",
        category="net",
        title="Gradient noise scale",
        watch_for=(
            "A batch far below it learns in proportion to its size, one far above it wastes samples. "
            "Grows while a run learns. A running mean, noisy by nature."
        ),
        related=("optim/grad_variance_proxy", "net/grad_norm", "net/update_batch"),
    ),
    Metric(
        "net/update_batch",
        meaning="Samples of one update, all its micro-batches together, where their noise is measured",
        unit="sample",
        direction="neutral",
        category="net",
        title="Samples per update",
        watch_for="Far below the noise scale an update follows noise.",
        related=("net/noise_scale",),
    ),
    Metric(
        "net/nonfinite",
        meaning=(
            "Gradients of a measured update that are NaN or infinite; with the labels module and kind, "
            "the update in which the first one appeared there"
        ),
        unit="count",
        direction="lower",
        category="net",
        title="First non-finite value",
        watch_for="Any is too many. Its labels name the module, and gradient, weight or output.",
        related=("optim/nan_count", "optim/skipped_updates"),
    ),
    Metric(
        "net/adam_rms",
        meaning="Root of the mean of g^2 / v: the gradient against Adam's second moment (label block)",
        unit="ratio",
        direction="target",
        category="net",
        title="Gradient against Adam's second moment",
        healthy=(
            Band(
                None,
                2.3,
                why="above it the second moment is out of date and the update too large: spikes follow",
                source="Wortsman and others, Stable and low-precision training (2023)",
                context="1 to 8 updates before a loss spike in their runs",
                kind="limit",
            ),
        ),
        watch_for=(
            "About 1 while gradients keep their size. Well above 1 they grew faster than Adam's memory "
            "followed: lower beta2, or clip updates."
        ),
        related=("net/update_ratio", "optim/adam_second_moment_max"),
    ),
    Metric(
        "net/adam_below_eps",
        meaning="Share of weights whose second moment is so small that Adam's eps sets their step",
        unit="ratio",
        direction="lower",
        category="net",
        title="Weights ruled by Adam's eps",
        watch_for=(
            "There the step shrinks with the gradient instead of following the learning rate. Rows of "
            "embeddings that never occur count too."
        ),
        related=("net/adam_rms", "net/update_ratio"),
    ),
)
