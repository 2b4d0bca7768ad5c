from runvitals.rules.kit import Hit, Patient, fell, rule, short_number, stretch
from runvitals.rules.value import SMALL_ERROR, per_return, returns_vary
from runvitals.signals.late import HALF, early_median, late_median

FALLEN = 0.7  # of the loss at first: from there on a critic has learned something (judgement)
LIKELY = 0.5  # chance that it has fallen so far

ADVICE = "fit the critic alone to one batch, and check which observation each target belongs to"
CAUSES = (
    "critic frozen or without weight in the loss",
    "targets that belong to other observations (order, masks)",
    "reward scale far beyond what the critic can reach",
    "critic too small",
)


@rule("VAL002", needs=["value/loss"], excused_by_outcome=True, min_points=30)
def value_loss_never_falls(patient: Patient, *, below: float = 0.1) -> Hit | None:
    """The critic does not learn: its loss does not fall.

    ## What it looks for
    The value loss, measured by the returns (per variance of the returns, or per square of the
    largest return so far), has probably not fallen by 30%. The returns have to vary, and the error
    must not be tiny beside them.

    - If explained variance is logged, it must also be below 0.1 (`below`) in the second half. What
      falls in the first updates does not count: they only teach the mean of the returns.
    - If it is not logged, the loss itself must not have fallen either.

    A notice while the outcome is doing well, since policies also learn without a critic, and a
    warning otherwise. Always a warning if the critic gets no gradient at all (its norm is 0
    throughout, or the weight of its loss is 0).

    ## Why it matters
    Without a critic, every advantage is a raw return, and learning takes many times the samples.

    ## Usual causes
    1. The value loss has no weight, or the critic is frozen.
    2. Targets do not belong to their observations: order, masks.
    3. The scale of rewards.
    4. The critic is too small, or its learning rate too low.

    ## What to try
    Fit the critic alone to one batch. If that works, print targets next to observations.

    ## When to ignore it
    Methods that deliberately do without a critic; critics that were already trained.

    ## Sources
    Training Metrics Glossary (value loss that never falls: scaling, masks, capacity); RL metrics
    table.
    """
    loss, explained = patient["value/loss"], patient.find("value/explained_variance")
    explains = None if explained is None else late_median(explained.values, HALF)
    if (explains is not None and explains >= below) or not returns_vary(patient):
        return None
    measured = per_return(patient, loss)
    small = measured is not loss and late_median(measured.values) <= SMALL_ERROR
    asked = [loss, measured]
    if explained is not None:  # the first updates only teach the critic the mean of the returns
        asked = [patient.after_warm_up(measured)]
    first, now = early_median(loss.values), late_median(loss.values)
    fallen = explained is None and now <= FALLEN * first
    if small or fallen or any(fell(one, FALLEN, sure=LIKELY) for one in asked):
        return None
    gradient, weight = patient.find("value/grad_norm"), patient.number("value_coef")
    useless = "" if explains is None else f", and explained variance is {explains:.2g}"
    return stretch(loss).hit(
        f"value loss never falls: {short_number(first)} at first, "
        f"{short_number(now)} at the end{useless}",
        advice=ADVICE,
        causes=("value_coef is 0",) * (weight == 0) + CAUSES,
        also=() if explained is None else (explained.name,),
        beyond_excuse=weight == 0 or (gradient is not None and not gradient.values.any()),
    )
