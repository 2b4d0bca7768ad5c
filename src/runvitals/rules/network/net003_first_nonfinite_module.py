import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, Span, rule, stretch
from runvitals.rules.watched import named, whole

FOUND, NORMS = "net/nonfinite", "net/grad_norm"


@rule("NET003", severity="critical", fact=True, needs=[f"{FOUND}|{NORMS}"])
def first_nonfinite_module(patient: Patient) -> Hit | None:
    """A gradient, weight or output became NaN or infinite. This names the module where it began.

    ## What it looks for
    What `rv.watch` found. It checks at every update whether gradients are finite.

    - NaN spreads backwards through gradients, so the origin is the last module of the forward pass
      that has one.
    - If all modules have one, the loss itself was not finite. The batch is then run again (on the
      CPU) to find the first module whose output is not finite.
    - Without `rv.watch`, it names the blocks whose `net/grad_norm` was the first not to be finite.

    It is a notice if later gradients are finite again.

    ## Why it matters
    After the next update every weight is NaN, and every module looks guilty.

    ## Usual causes
    1. An earlier update that exploded: see the gradient norms and update ratios of this block.
    2. A division, logarithm or root at zero in this module: an empty mask, or a constant row to
       normalise.
    3. Overflow in half precision.
    4. NaN in the data, if this is the first module that sees it.

    ## What to try
    Look at the named module's inputs at that step. Clamp whatever goes into a division or a
    logarithm. If norms had grown, lower the learning rate or clip gradients. Use bf16 instead of
    fp16.

    ## When to ignore it
    Updates that a gradient scaler skips on purpose are not counted.

    ## Sources
    PyTorch's anomaly detection, which names the operation at several times the cost; NUM001.
    """
    marks = [one for one in patient.all(FOUND) if "module" in one.labels]
    total = whole(patient, FOUND)
    if marks:
        first = min(marks, key=lambda one: int(one.steps[0]))
        return _marked_hit(first, total)
    return _by_norms(patient)


def _marked_hit(mark: Series, total: Series | None) -> Hit:
    step, update = int(mark.steps[0]), int(mark.values[0])
    module, kind = mark.labels["module"], mark.labels.get("kind", "value")
    where = f"{module}, {kind}" if kind != "loss" else "the loss itself (all gradients at once)"
    count = f" (update {update:,})" if abs(update - step) > 1 else ""  # loops count from 0 or 1
    over = total is not None and int(total.steps[-1]) > step and total.values[-1] == 0
    return stretch(mark).hit(
        f"first non-finite value: {where}, step {step:,}{count}"
        + ("; gradients have been finite again since" if over else ""),
        advice=f"look at the inputs of {module if kind != 'loss' else 'the loss'} at that step",
        severity="notice" if over else "critical",
        causes=("an update that exploded", "division or logarithm at zero", "overflow in fp16"),
    )


def _by_norms(patient: Patient) -> Hit | None:
    """From norms alone, as a JAX program logs them."""
    names = [n for n in patient.run.metrics().get(NORMS, ()) if patient.run.bindings[n].labels]
    found: dict[str, tuple[int, int]] = {}
    healthy = 0
    for name in names:
        series = patient.raw(name)
        if series is None or not len(series):
            continue
        bad = ~np.isfinite(series.values)
        if bad.any() and bad[-1] and not bad.all():
            found[name] = int(series.steps[int(np.argmax(bad))]), int(bad.sum())
        healthy += not bad.any()
    if not found:
        return None
    step = min(at for at, _ in found.values())
    first = [name for name, (at, _) in found.items() if at == step]
    blocks = [patient.run.bindings[name].labels.get("block", name) for name in first]
    everywhere = len(first) == len(names)
    series = patient.raw(first[0])
    assert series is not None
    return Hit(
        series=first[0],
        span=Span(step, int(series.steps[-1]), found[first[0]][1]),
        message=f"first non-finite gradient: {'all blocks at once' if everywhere else named(blocks)}, "
        f"step {step:,}",
        advice="look at the loss at that step" if everywhere else f"look at {blocks[-1]} first",
        causes=("an update that exploded", "division or logarithm at zero", "overflow in fp16"),
    )
