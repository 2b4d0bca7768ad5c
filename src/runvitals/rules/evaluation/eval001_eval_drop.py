"""EVAL001."""

from collections.abc import Iterator

from runvitals.model import Hit, Series
from runvitals.rules.outcome import CANDIDATES, HELD_OUT, LOWER_IS_BETTER
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.held_out import Drop, drop_from_best

SCORES = tuple(
    (metric, ceiling)
    for metric, ceiling in CANDIDATES
    if metric.startswith(HELD_OUT) and metric not in LOWER_IS_BETTER
)
FEW = 12


@rule(
    "EVAL001",
    "eval-drop",
    severity="warning",
    needs=["|".join(metric for metric, _ in SCORES)],
)
def eval_drop(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """A held-out score has fallen clearly below its best.

    ## What it looks for
    At least six evaluations, of which the last two or three lie below the best ones by four times
    the noise of an evaluation (from its neighbours, and for shares from the size of the set), and
    by a tenth of the best (`limit`) and 5 points for shares, or by a third of the range for
    returns if the outcome does not do well. Critical when a quarter of a share, or three quarters
    of the range, is lost.

    ## Why it matters
    Held-out scores are what the run is for. First ask whether training is unstable or the reward
    is wrong; only then tune the optimizer.

    ## Usual causes
    1. Unstable training; see rules on KL, entropy, value and gradients.
    2. Over-optimised or wrong reward.
    3. Forgetting.
    4. The evaluation changed.

    ## What to try
    Keep the checkpoint of the best step. Look for the first rule that fired before it.

    ## When to ignore it
    An evaluation set or sampling temperature that was changed on purpose.

    ## Sources
    Training Metrics Glossary (ask first which section); ftdoctor (best step not saved).
    """
    for metric, ceiling in SCORES:
        series = patient.find(metric)
        if series is None or len(series) < 6:
            continue
        if ceiling is None and not metric.endswith("return_mean") and _is_share(series):
            ceiling = 1.0
        drop = drop_from_best(series.values, share=ceiling is not None)
        if drop is None or not drop.sure or (ceiling is None and patient.does_well):
            continue
        part = 0.1 if limit is None else limit
        if not _matters(drop, series, ceiling, part):
            continue
        step = int(series.steps[drop.best_index])
        lost = drop.size / abs(drop.best) if drop.best else 1.0
        gross = lost >= 0.25 if ceiling is not None else drop.share >= 0.75 and lost >= 0.25
        bound = patient.limit(limit, otherwise=part, why="of the best, beyond its noise")
        yield Hit(
            series=series.name,
            span=Stretch(drop.best_index, len(series) - 1, 0).span(series),
            message=f"{series.name} fell from {drop.best:.3g} at step {step:,} to {drop.now:.3g}",
            advice=f"keep the checkpoint of step {step:,}; look for what went wrong before it",
            severity="critical" if gross else None,
            causes=("unstable training", "over-optimised or wrong reward", "forgetting"),
            limit=bound,
        )
        return


def _is_share(series: Series) -> bool:
    return bool(series.values.min() >= 0 and series.values.max() <= 1)


def _matters(drop: Drop, series: Series, ceiling: float | None, part: float) -> bool:
    if ceiling is not None:
        return drop.size >= max(0.05, part * drop.best)
    least = 0.5 if len(series) < FEW else 1 / 3
    size = max(abs(drop.best), abs(drop.lowest))
    return drop.share >= least and drop.size >= part * size
