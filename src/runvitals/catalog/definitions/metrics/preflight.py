"""Metrics of the check before the flight: what `rv.watch` finds in the first updates; 0 is fine."""

from runvitals.model import Metric


def _checked(
    name: str, title: str, meaning: str, watch_for: str, unit: str = "parameter"
) -> Metric:
    return Metric(
        f"preflight/{name}",
        meaning=meaning,
        unit=unit,
        direction="lower",
        category="preflight",
        title=title,
        watch_for=watch_for,
    )


METRICS = (
    Metric(
        "preflight/trainable",
        meaning="Numbers in parameters that require a gradient",
        unit="parameter",
        direction="neutral",
        category="preflight",
        title="Trainable parameters",
    ),
    _checked(
        "not_in_optimizer",
        "Trainable, but in no optimiser",
        "Numbers in trainable parameters that are in no group of the optimiser (label module)",
        "They get gradients and never move: often a head replaced after the optimiser was made.",
    ),
    _checked(
        "frozen",
        "Frozen, but meant to learn",
        "Numbers in frozen parameters that should learn or are in the optimiser (labels module, why)",
        "Often on purpose; say what has to learn with rv.watch(..., learns=[...]).",
    ),
    _checked(
        "zero_learning_rate",
        "Parameters with a learning rate of 0",
        "Numbers in groups whose learning rate was 0 in each of the first updates (label group)",
        "A schedule that begins at 0 has left it by the second update.",
    ),
    _checked(
        "eval_while_training",
        "Modules in eval() while they train",
        "Dropout and batch norm modules that were in eval() in a training pass (label module)",
        "Dropout that does not drop, batch statistics that are not learned: a forgotten model.train().",
        unit="module",
    ),
    _checked(
        "train_while_evaluating",
        "Modules in train() while they are evaluated",
        "Dropout and batch norm modules that were in train() in a pass without gradient (label module)",
        "Results with dropout on are worse than the model, and batch norm learns from the test data.",
        unit="module",
    ),
    _checked(
        "no_gradient",
        "Trainable, but without a gradient",
        "Numbers in the optimiser's parameters without a gradient in the first updates (label module)",
        "Cut off from the loss: detached, not called, or multiplied by 0.",
    ),
    Metric(
        "preflight/initial_loss_ratio",
        meaning="Loss of the first batch divided by that of guessing, ln(classes)",
        unit="ratio",
        direction="target",
        category="preflight",
        title="First loss against guessing",
        watch_for=(
            "1 for a network that knows nothing, below 1 for one trained before. Far above 1 it "
            "is sure of the wrong things: initialisation, scale of the inputs, labels."
        ),
    ),
    _checked(
        "repeated_batches",
        "Batches that repeat",
        "Share of the first batches that are the same as an earlier one",
        "1 means that the model sees only one batch: a new loader at each step, or a fixed seed.",
        unit="ratio",
    ),
    _checked(
        "cross_sample_gradient",
        "Samples that see each other",
        "Share of the gradient of a sample's output that goes to other samples' inputs, in eval()",
        "Above 0, answers depend on neighbours: a wrong dimension in a view, norm or softmax.",
        unit="ratio",
    ),
)
