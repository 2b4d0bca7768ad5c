from runvitals.rules.evaluation import SCORES
from runvitals.rules.kit import Hit, Limit, Patient, Series, number, rule, stretch
from runvitals.signals.held_out import Drop, drop_from_best

MIN_LOST = 0.05  # of all answers, where it is a share (judgement)
GROSS, OF_RANGE = 0.25, 0.5  # of the best of a share; of all that a return ever gained (judgement)
PAID = ("reward", "score")  # what verl logs beside the accuracy of an evaluation


@rule("EVAL001", needs=["|".join(metric for metric, _ in SCORES)])
def eval_drop(patient: Patient, *, limit: float = 0.1) -> Hit | None:
    """A held-out score has fallen clearly below its best.

    ## What it looks for
    At least five evaluations. The last two or three must be below the best ones

    - by four times the noise of an evaluation (estimated from its neighbours, and for success rates
      from the size of the set), and
    - for success rates and accuracies: by a tenth of the best (`limit`) and by 5 percentage points,
      or
    - for returns: by half of their range, while the outcome is not doing well.

    Every held-out set is checked, and the one that lost most is named. It is critical if a quarter
    of a success rate is lost.

    ## Why it matters
    Held-out scores are what the run is for. First ask whether training is unstable or the reward is
    wrong. Only then tune the optimiser.

    ## Usual causes
    1. Unstable training; see the rules on KL, entropy, value and gradients.
    2. An over-optimised or wrong reward.
    3. Forgetting.
    4. The evaluation changed.

    ## What to try
    Keep the checkpoint of the best step. Look for the first rule that fired before it.

    ## When to ignore it
    You changed the evaluation set or the sampling temperature on purpose.

    ## Sources
    Training Metrics Glossary (ask first which section); ftdoctor (best step not saved).
    """
    for metric, ceiling in SCORES:
        found = [
            (drop, series)
            for series in patient.all(metric)
            if series.labels.get("metric") not in PAID
            and (drop := _drop(patient, series, metric, ceiling, limit)) is not None
        ]
        if not found:
            continue
        drop, series = max(found, key=lambda pair: pair[0].size / (abs(pair[0].best) or 1.0))
        step = int(series.steps[drop.best_index])
        lost = drop.size / abs(drop.best) if drop.best else 1.0
        gross = lost >= GROSS and _ceiling(series, metric, ceiling) is not None
        return stretch(series, drop.best_index).hit(
            f"{series.name} fell from {number(drop.best, 3)} at step {step:,} "
            f"to {number(drop.now, 3)}",
            advice=f"keep the checkpoint of step {step:,}; look for what went wrong before it",
            severity="critical" if gross else None,
            causes=("unstable training", "over-optimised or wrong reward", "forgetting"),
            limit=Limit(limit, "of the best score, beyond noise"),
        )
    return None


def _drop(
    patient: Patient, series: Series, metric: str, ceiling: float | None, part: float
) -> Drop | None:
    """The fall of one score, if it is sure and matters."""
    ceiling = _ceiling(series, metric, ceiling)
    drop = drop_from_best(series.values, share=ceiling is not None)
    if drop is None or not drop.sure or (ceiling is None and patient.health.good):
        return None
    return drop if _matters(drop, ceiling, part) else None


def _ceiling(series: Series, metric: str, ceiling: float | None) -> float | None:
    """1 for what looks like a share."""
    if ceiling is None and not metric.endswith("return_mean"):
        return 1.0 if series.values.min() >= 0 and series.values.max() <= 1 else None
    return ceiling


def _matters(drop: Drop, ceiling: float | None, part: float) -> bool:
    if ceiling is not None:
        return drop.size >= max(MIN_LOST, part * drop.best)
    size = max(abs(drop.best), abs(drop.lowest))
    return drop.share >= OF_RANGE and drop.size >= part * size
