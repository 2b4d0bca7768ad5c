from collections.abc import Iterator

from runvitals.rules.kit import Detection, Hit, Patient, counted, rule
from runvitals.rules.preflight import found, where
from runvitals.rules.watched import parts

TRAINING, EVALUATING = "preflight/eval_while_training", "preflight/train_while_evaluating"
WHOLE = "(model)"


@rule("PRE004", needs=[f"{TRAINING}|{EVALUATING}"], fact=True)
def module_in_wrong_mode(patient: Patient) -> Iterator[Hit]:
    """Dropout or batch norm is in eval() during training, or in train() during evaluation.

    ## What it looks for
    What `rv.watch` sees in forward passes:

    - with gradients, modules left in eval(): a warning if it is the whole model, a notice if it is
      a part
    - without gradients, modules left in train(): a warning

    Only dropout above 0 and batch norm with running statistics count, because other modules behave
    the same in both modes.

    ## Why it matters
    In eval(), dropout does not drop and batch norm does not learn. In train(), an evaluation is
    noisier and worse than the model really is, and its data leaks into the running statistics.

    ## Usual causes
    1. `model.eval()` before an evaluation without `model.train()` after it.
    2. An evaluation without `model.eval()`.
    3. A model loaded for inference: `from_pretrained` returns it in eval().

    ## What to try
    Call `model.train()` at the start of each training step or epoch, and `model.eval()` before each
    evaluation.

    ## When to ignore it
    Batch norm frozen for fine-tuning; statistics that are recalibrated without gradients; dropout
    that is sampled on purpose.

    ## Sources
    PyTorch's documentation of `Module.train` and `Module.eval`.
    """
    left = found(patient, TRAINING)
    if left is not None:
        everything = WHOLE in parts(patient, TRAINING, "module")
        which = "the whole model" if everything else where(patient, left)
        yield left.hit(
            f"{_count(left)} in eval() during training: {which}",
            advice="call model.train() before training continues",
            severity="warning" if everything else "notice",
            causes=("eval() without train() after it", "model loaded for inference"),
        )
    right = found(patient, EVALUATING)
    if right is not None:
        yield right.hit(
            f"{_count(right)} in train() during evaluation: {where(patient, right)}",
            advice="call model.eval() before an evaluation and model.train() after it",
            causes=("evaluation without eval()",),
        )


def _count(found: Detection) -> str:
    return counted(int(found.level), "dropout or batch norm module")
