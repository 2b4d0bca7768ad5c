from runvitals.rules.kit import Hit, Patient, counted, rule, stretch
from runvitals.rules.preflight import found
from runvitals.rules.watched import named, worst

METRIC, TRAINABLE = "preflight/frozen", "preflight/trainable"
EXPECTED = "expected to learn"


@rule("PRE002", severity="notice", needs=[METRIC], fact=True)
def frozen_but_meant_to_learn(patient: Patient) -> Hit | None:
    """Parameters that should learn are frozen.

    ## What it looks for
    `preflight/frozen`, parameters with `requires_grad=False`:

    - among those named in `rv.watch(..., learns=[...])`: a warning
    - among those given to the optimiser: a notice

    Critical if the model has no trainable parameter at all.

    ## Why it matters
    A frozen parameter never changes, whatever the loss says.

    ## Usual causes
    1. A freeze by name matches too much.
    2. The model was loaded for inference.
    3. It was never unfrozen after warm-up.

    ## What to try
    Print the parameters that require a gradient. Set `requires_grad_(True)` on those that should
    learn.

    ## When to ignore it
    A frozen backbone whose parameters were passed to the optimiser anyway.

    ## Sources
    PyTorch's notes on autograd (locally disabling gradients, `requires_grad`).
    """
    trainable = patient.find(TRAINABLE)
    if trainable is not None and trainable.last == 0:
        return stretch(trainable, len(trainable) - 1).hit(
            "all parameters are frozen: 0 can learn",
            advice="set requires_grad_(True) on what should learn",
            severity="critical",
            causes=("model loaded for inference", "a freeze that matches everything"),
        )
    total = found(patient, METRIC)
    if total is None:
        return None
    now = [
        one for one in patient.all(METRIC) if one.labels and one.steps[-1] == total.series.steps[-1]
    ]
    expected = {s.labels["module"]: s for s in now if s.labels.get("why") == EXPECTED}
    others = {s.labels.get("module", "the model"): s for s in now}
    told = expected or others
    size = int(sum(one.last for one in told.values()) if told else total.level)
    why = "should learn" if expected else "the optimiser was given"
    names = named(worst(told, lambda one: one.last)) if told else "the model"
    return total.hit(
        f"{counted(size, 'parameter')} that {why} {'is' if size == 1 else 'are'} frozen: {names}",
        advice="set requires_grad_(True) on them, or leave them out of the optimiser",
        severity="warning" if expected else "notice",
        causes=("a freeze that matches too much", "never unfrozen"),
    )
