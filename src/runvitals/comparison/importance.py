"""How much each setting of a sweep matters: permutation importance of a random forest."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from runvitals.comparison.regions import scores
from runvitals.comparison.resampling import mean_of
from runvitals.comparison.sweep import Sweep
from runvitals.model import FloatArray

NOT_INSTALLED = "importance of settings needs scikit-learn: pip install 'runvitals[sweep]'"
MIN_RUNS = 12
MAX_RUNS = 1_000  # more take long and hardly change anything
TREES, FOLDS, SPLITS, SHUFFLES = 60, 4, 3, 5


@dataclass(frozen=True)
class Importance:
    """The share of the outcome's variance that is lost when one setting is shuffled, ± 95%.

    It is `clear` if its interval lies above what a shuffled copy of a setting reaches.
    """

    key: str
    mean: float
    half: float
    clear: bool


@dataclass(frozen=True)
class Importances:
    """All settings, the most important first, or why nothing can be said."""

    settings: tuple[Importance, ...] = ()
    floor: float = 0.0  # what a column of noise reaches
    explained: float | None = None  # of the variance of runs that the forest had not seen (R²)
    problem: str | None = None


def importances(sweep: Sweep) -> Importances:
    """Ask a random forest on runs that it was not trained with; needs the extra `sweep`."""
    if find_spec("sklearn") is None:
        return Importances(problem=NOT_INSTALLED)
    if len(sweep.trials) < MIN_RUNS:
        few = f"importance of settings needs at least {MIN_RUNS} runs, here are {len(sweep.trials)}"
        return Importances(problem=few)
    target = scores(sweep.trials, sweep.sign)[:MAX_RUNS]
    if not sweep.settings or float(target.std()) < 1e-9:
        return Importances(problem="all runs end alike")
    rng = np.random.default_rng(0)
    columns = [_filled(one.column[:MAX_RUNS]) for one in sweep.settings]
    noise = rng.permutation(columns[0])
    found, explained = _measured(np.column_stack([*columns, noise]), target)
    floor = max(0.0, float(found[:, -1].mean()) + _half(found[:, -1]))
    made = [
        Importance(
            key=one.key,
            mean=float(mine.mean()),
            half=_half(mine),
            clear=float(mine.mean()) - _half(mine) > floor,
        )
        for one, mine in zip(sweep.settings, found.T, strict=False)
    ]
    return Importances(
        settings=tuple(sorted(made, key=lambda one: -one.mean)), floor=floor, explained=explained
    )


def _measured(table: FloatArray, target: FloatArray) -> tuple[FloatArray, float]:
    """Importance by fold and column, and the R² of runs held out."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import RepeatedKFold

    found, errors = [], []
    folds = RepeatedKFold(n_splits=FOLDS, n_repeats=SPLITS, random_state=0)
    for train, test in folds.split(table):
        forest = RandomForestRegressor(TREES, min_samples_leaf=2, random_state=0)
        forest.fit(table[train], target[train])
        errors.append((forest.predict(table[test]) - target[test]) ** 2)
        lost = permutation_importance(
            forest,
            table[test],
            target[test],
            scoring="neg_mean_squared_error",
            n_repeats=SHUFFLES,
            random_state=0,
        )
        found.append(lost.importances_mean / target.var())
    explained = 1 - float(np.concatenate(errors).mean() / target.var())
    return np.array(found), explained


def _half(values: Sequence[float] | FloatArray) -> float:
    # folds share runs: by the number of folds of one round, not by all of them
    told = mean_of(list(values))
    return 0.0 if told is None or told.half is None else told.half * float(np.sqrt(SPLITS))


def _filled(column: FloatArray) -> FloatArray:
    """A setting that is not set lies below all values."""
    lowest = np.nanmin(column)
    return np.where(np.isnan(column), lowest - 1, column)
