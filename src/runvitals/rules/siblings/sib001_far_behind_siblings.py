import numpy as np

from runvitals.model.run import SiblingCurves
from runvitals.rules.kit import FloatArray, Hit, Limit, Patient, Span, number, rule
from runvitals.signals.robust import MAD_TO_STD


@rule("SIB001", severity="notice", needs=["siblings"], fact=True)
def far_behind_siblings(patient: Patient, *, gap: float = 0.2, lasts: float = 0.1) -> Hit | None:
    """The outcome ends far behind that of runs with the same settings.

    ## What it looks for
    At least four siblings: runs of the same project and algorithm with the same settings except for
    the seed, or, if there are too few, runs that are alike among themselves and differ from this run in
    one setting. The run is behind where its outcome lies further from the siblings' median than their
    spread allows (median absolute deviation or quartiles; ten of them with four siblings, four with
    twelve) and by at least a fifth (`gap`) of what they gained. It has to be so over the last tenth
    (`lasts`) of the steps. Siblings are the other runs of the folder that `check`, `fleet` or
    `serve` was given; a run that is opened alone is not checked.

    ## Why it matters
    A single log cannot say whether 250 is good. Seeds of the same settings can: a run that is far
    behind them was unlucky, ran on other hardware or code, or has a fault that the others lack.

    ## Usual causes
    1. The setting that differs, if one does.
    2. An unlucky seed: the settings are near the edge of what works.
    3. Another version of the code, the data or a library.

    ## What to try
    Compare it with one of the siblings. If only the seed differs, more seeds tell how often it happens.

    ## When to ignore it
    When the setting that differs was meant to make the task harder.

    ## Sources
    Henderson et al. 2018, "Deep reinforcement learning that matters" (seeds alone make such
    differences). The multiples of the spread were simulated: at most one of a hundred runs from the
    same normal distribution as its siblings lies beyond them at one step.
    """
    if (told := patient.run.siblings) is None:
        return None
    sign = -1.0 if told.lower_is_better else 1.0
    at, own, lines = _beside_each_other(told, sign)
    if len(lines) < 4:
        return None
    middle = np.median(lines, axis=0)
    gained = float(middle.max() - middle.min())
    allowed = np.maximum(multiple(len(lines)) * _spread(lines, gained), gap * gained)
    behind = middle - own > allowed
    inside = np.flatnonzero(~behind)
    begin = int(inside[-1]) + 1 if len(inside) else 0
    if gained <= 0 or begin == len(at) or len(at) - begin < lasts * len(at):
        return None
    since, spread = int(at[begin]), float(_spread(lines, gained)[-1])
    limit = float(middle[-1] - allowed[-1])
    why = f"; what differs: {told.differs}" if told.differs else "; only the seed differs"
    return Hit(
        told.series,
        Span(since, int(at[-1]), len(at) - begin),
        f"ends {number(float(middle[-1] - own[-1]) / spread, 2)} standard deviations "
        f"{'above' if told.lower_is_better else 'below'} its {len(lines)} siblings "
        f"(median {number(sign * float(middle[-1]))}) since step {since:,}{why}",
        advice="compare it with a sibling; with the same settings, train more seeds",
        causes=(told.differs or "an unlucky seed", "another version of the code or the data"),
        limit=Limit(sign * limit, "the spread of its siblings"),
    )


def _beside_each_other(
    told: SiblingCurves, sign: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Steps, this run's values and those of each sibling there; higher is better."""
    own = told.own
    # a sibling that ended earlier says nothing about the end
    others = [one for one in told.others if float(one.steps[-1]) >= 0.95 * float(own.steps[-1])]
    shared = own.steps >= max(float(one.steps[0]) for one in (own, *others))
    at = own.steps[shared]
    lines = np.array([sign * np.interp(at, one.steps, one.values) for one in others])
    return at, sign * own.values[shared], lines


def multiple(siblings: int) -> float:
    """How many spreads a run may lie from the median of this number of siblings.

    >>> [round(multiple(n), 1) for n in (4, 6, 12, 48)]
    [10.2, 6.7, 4.3, 3.2]
    """
    return float(3 + 30 / (siblings - 1) ** 1.3)


def _spread(lines: FloatArray, gained: float) -> FloatArray:
    """The spread of the siblings at each step, by the wider of two robust measures.

    It is at least a twentieth of their gain: curves that lie on each other are not that sure.
    """
    middle = np.median(lines, axis=0)
    low, high = np.quantile(lines, [0.25, 0.75], axis=0)
    quartiles = (high - low) / 1.349  # of a normal distribution they lie 1.349 deviations apart
    found = np.maximum(MAD_TO_STD * np.median(np.abs(lines - middle), axis=0), quartiles)
    return np.asarray(np.maximum(found, 0.05 * gained), np.float64)
