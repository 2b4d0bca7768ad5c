"""Metrics of optimisation of single-model trainers."""

from runvitals.model import Band, Metric

# of a gradient before clipping, whichever network it is of
GRAD_NORM_BANDS = (
    Band(
        None,
        1.0,
        why="the clip limit of the run: above it every step is cut to the same length",
        source="Training Monitoring Guide",
        context=(
            "max_grad_norm of the run; 1.0 is common for language models, 0.5 for classic control"
        ),
        config_key="max_grad_norm",
        tools=("vidur-ppo-scheduler",),
        kinds=("rl",),
    ),
    Band(
        None,
        10.0,
        why=(
            "ten times its usual size points at exploding gradients, a bad batch or "
            "numerical trouble"
        ),
        source="Training Metrics Glossary",
        context="as a multiple of the run's own median",
        kind="limit",
        times="its median",
    ),
)

METRICS = (
    Metric(
        "optim/loss",
        meaning="Total training loss whose kind is not known from the name",
        unit="loss",
        direction="lower",
        category="optim",
        title="Total loss",
        watch_for=(
            "Whether it should fall depends on what it is: in supervised training yes, in "
            "policy gradients not necessarily. One number going down does not prove learning; "
            "read an outcome beside it."
        ),
        related=("optim/grad_norm", "optim/learning_rate", "outcome/return_mean"),
        documents=("RL Metrics table",),
    ),
    Metric(
        "optim/grad_norm",
        meaning="Global gradient norm before clipping, single-model trainers",
        unit="norm",
        direction="target",
        category="optim",
        title="Gradient norm",
        healthy=GRAD_NORM_BANDS,
        watch_for=(
            "How hard the parameters want to move. Single spikes happen; ten times the usual "
            "value, or a climb without end, is explosion, a bad batch or bad numerics. Exactly "
            "zero means that nothing is being learnt. A few infinities with mixed precision are "
            "skipped steps."
        ),
        related=("optim/learning_rate", "optim/loss"),
        not_the_same_as=("optim/update_norm",),
        documents=(
            "Training Metrics and Telemetry",
            "Training Monitoring Guide",
            "Training Metrics Glossary",
        ),
    ),
    Metric(
        "optim/learning_rate",
        meaning="Learning rate, single-model trainers",
        unit="rate",
        direction="neutral",
        category="optim",
        title="Learning rate",
        watch_for=(
            "Explains other curves: when loss, KL and gradient norm spike together, look first "
            "whether the schedule changed there. Note that rounded logs can show 0."
        ),
        related=("optim/grad_norm", "policy/approx_kl", "optim/loss"),
        documents=("Training Metrics and Telemetry", "Training Metrics Glossary"),
    ),
    Metric(
        "optim/param_norm",
        meaning="Global parameter norm",
        unit="norm",
        direction="neutral",
        category="optim",
        title="Parameter norm",
        watch_for=(
            "Moves slowly. A kink shows a changed learning rate, a missing weight decay, or a "
            "reset after a restart."
        ),
        related=("optim/weight_decay", "optim/grad_norm"),
    ),
    Metric(
        "optim/updates_per_iteration",
        meaning="Optimiser updates in one iteration",
        unit="update",
        direction="neutral",
        category="optim",
    ),
    Metric(
        "optim/skipped_updates",
        meaning="Optimiser updates skipped (overflow, non-finite gradient)",
        unit="update",
        direction="lower",
        category="optim",
        title="Skipped updates",
        watch_for=(
            "A few at the start of half-precision training are normal while the loss scale "
            "settles. Later ones mean overflow: look at the loss and the gradient norm."
        ),
        related=("optim/nan_count", "optim/grad_norm"),
    ),
    Metric(
        "optim/loss_run_mean",
        meaning="Training loss averaged over the whole run",
        unit="loss",
        direction="lower",
        category="optim",
        title="Mean loss of the run",
        watch_for=(
            "A mean from the very start, so it lags behind and hides a late divergence. Look at "
            "the running loss instead."
        ),
        related=("optim/loss",),
        not_the_same_as=("optim/loss",),
    ),
    Metric(
        "optim/weight_decay",
        meaning="Weight decay in force",
        unit="coefficient",
        direction="neutral",
        category="optim",
    ),
    Metric(
        "optim/grad_variance_proxy",
        meaning="Estimate of gradient signal, power or noise (label kind)",
        unit="norm^2",
        direction="neutral",
        category="optim",
    ),
    Metric(
        "optim/update_success_rate",
        meaning="Share of optimiser updates applied (not skipped)",
        unit="ratio",
        direction="higher",
        category="optim",
        title="Applied updates",
        watch_for="Below 1, steps are being skipped for overflow or bad gradients.",
        related=("optim/skipped_updates", "optim/nan_count"),
    ),
    Metric(
        "optim/nan_count",
        meaning="Number of non-finite losses met",
        unit="count",
        direction="lower",
        category="optim",
        title="Non-finite losses",
        watch_for=(
            "Any is too many. Find the batch, check for logarithms of zero, empty masks and "
            "division by a group of equal rewards."
        ),
        related=("optim/skipped_updates", "optim/grad_norm"),
    ),
    Metric(
        "optim/update_norm",
        meaning="Global norm of the applied parameter update",
        unit="norm",
        direction="neutral",
        category="optim",
        title="Size of the update",
        watch_for=(
            "What really changes the weights, after Adam and clipping. Growing at a constant "
            "learning rate is a warning before the loss moves."
        ),
        related=("optim/grad_norm", "optim/learning_rate"),
    ),
    Metric(
        "optim/grad_clip_fraction",
        meaning="Share of updates whose gradient norm exceeded the clip limit",
        unit="ratio",
        direction="lower",
        category="optim",
        title="Updates with clipped gradients",
        watch_for="Near 1, the clip limit sets the step size and the learning rate hardly matters.",
        related=("optim/grad_norm",),
        not_the_same_as=("policy/clip_fraction",),
    ),
    Metric(
        "optim/lr_scale",
        meaning="What a controller multiplies the learning rate by, after gradient spikes",
        unit="ratio",
        direction="neutral",
        category="optim",
        title="Scale of the adapted learning rate",
        watch_for="Back at 1 some updates after a spike; if it stays low, the spikes keep coming.",
        related=("optim/grad_norm", "optim/minibatch_size", "optim/learning_rate"),
        documents=("Training Monitoring Guide",),
    ),
    Metric(
        "optim/minibatch_size",
        meaning="Samples in each optimizer step",
        unit="count",
        direction="neutral",
        category="optim",
        title="Minibatch size",
        watch_for="Some trainers raise it after gradient spikes, for steadier gradients.",
        related=("optim/grad_norm", "optim/lr_scale"),
        documents=("Training Monitoring Guide",),
    ),
    Metric(
        "optim/grad_spike",
        meaning="1 in updates whose gradient norm made a controller adapt the step",
        unit="flag",
        direction="neutral",
        category="optim",
        title="Gradient spike, adapted to",
        related=("optim/grad_norm", "optim/lr_scale"),
        documents=("Training Monitoring Guide",),
    ),
    Metric(
        "optim/adam_second_moment_max",
        meaning="Largest second-moment entry of Adam",
        unit="grad^2",
        direction="lower",
        category="optim",
    ),
    Metric(
        "optim/loss_trend",
        meaning=(
            "Fall of the loss since the previous window (label window); positive means that the "
            "loss fell"
        ),
        unit="loss",
        direction="target",
        category="optim",
        title="Loss trend",
        healthy=(
            Band(
                0.0,
                None,
                why="each epoch should end with a lower loss than the one before",
                source="TensorBoard Metrics Reference",
                context="per epoch; approaches 0 at convergence",
                tools=("teacher-tuner",),
            ),
        ),
        watch_for=(
            "Positive means that the loss fell since the last window. Positive and shrinking is "
            "convergence; negative over several windows is divergence."
        ),
        related=("optim/loss", "reward/trend"),
        documents=("TensorBoard Metrics Reference",),
    ),
)
