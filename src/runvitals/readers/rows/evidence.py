"""Whether a table is the log of a training at all: by what its columns are called and hold."""

import re
from collections.abc import Iterable

import numpy as np

from runvitals.model import FloatArray
from runvitals.readers.rows.arrangement import arrange
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.column_names import (
    STEP_NAMES,
    is_elapsed_name,
    is_step_name,
    is_time_name,
    key_kind,
    step_order,
)
from runvitals.readers.rows.columns import Table
from runvitals.readers.rows.step_choice import is_row_number

# What a column of a training log is likely to be called.
_METRIC = re.compile(
    r"exploitab|nash_?conv|loss|reward|return|fitness|accura|entropy|grad|learning_?rate|epsilon|success|score|perplex|advantage"
    r"|explain|value|policy|critic|actor|clip|train|valid|eval|margin|win_?rate|throughput|tokens"
    r"|(?:^|[/_ .-])(?:rew|ret|acc|kl|lr|mae|mse|rmse|ppl|auc|f1|fps|sps|eps|val|ep|td|q)(?:$|[/_ .-])"
    r"|EpRet|EpLen|EpRew|VVals|QVals",
    re.IGNORECASE,
)
# What only a training has; where nothing counts the rows, one of these must be there.
_TRAINING = re.compile(
    r"exploitability|nash_?conv|loss(?!y)|reward|fitness"
    r"|(?:^|[/_ .-])(?:rew|rews|returns?|ret|ppl|td_?error)(?:$|[/_ .-])"
    r"|perplexity|epsilon|entropy|grad_?norm|q_?values?|episode|EpRet|EpRew|EpLen"
    r"|(?:^|[/_ .-])(?:train|val|valid|validation|dev)[_/ .-]?"
    r"(?:acc|accuracy|f1|mse|mae|rmse|score|auc|bleu)",
    re.IGNORECASE,
)
# What is measured of anything at all: these need a file that speaks of training.
_OUTCOME = re.compile(
    r"accura|(?:^|[/_ .-])(?:acc|scores?|success(?:_rate)?|win_?rate|f1|mse|mae|rmse|bleu)"
    r"(?:$|[/_ .-])",
    re.IGNORECASE,
)
_TRAINING_FILE = re.compile(
    r"train|learning|histor|episode|epoch|reward|loss|return|progress|curve", re.IGNORECASE
)
_TRAINING_ALONE = re.compile(
    r"train|learning_?curve|episode|epoch|reward|loss|fitness"
    r"|(?:^|[_ -])(?:scores?|returns?)(?:$|[_ .-])",
    re.IGNORECASE,
)
# The words of a file's name that say what its numbers are: `scores` of `scores_dueling_doubleq`.
_MEASURED_IN = re.compile(
    r"(?:(?:train|training|val|valid|validation|test|eval|episode|avg|mean|average|total)[_ -]?)*"
    r"(?:rewards?|returns?|scores?|fitness|loss(?:es)?|acc(?:uracy)?)(?=$|[_ .-])",
    re.IGNORECASE,
)
# Words of a name that say what was measured, and nothing of which run: `moving_average_rewards`.
_MEASURE_WORD = re.compile(
    r"all|train(?:ing)?|val|valid|validation|test|eval|ep|episode|episodic|avg|mean|average|moving|"
    r"running|rolling|smoothed|cumulative|total|policy|value|actor|critic|q|success|win|rewards?|"
    r"returns?|scores?|fitness|loss(?:es)?|acc(?:uracy|uracies)?|lengths?|epsilons?|rates?|entropy",
    re.IGNORECASE,
)
# Settings: a column of them that goes up and down is of a search over settings, one row for each.
_SETTING = re.compile(
    r"(?:^|[/_ .-])(?:lr|learning_?rate|batch_?size|gamma|dropout|hidden\w*|n?_?layers?|num_layers"
    r"|units|weight_?decay|momentum|tau|lambda|alpha|beta|width|depth|n_estimators|max_depth|optimizer|params"
    r"|n_?params)(?:$|[/_ .-])|params?_\w+",
    re.IGNORECASE,
)
_PRICES = frozenset({"open", "high", "low", "close", "adj close", "volume"})
_MIN_ROWS = 5  # where nothing counts them
_COARSE = frozenset(
    {"frame", "frames", "round", "batch", "update", "updates", "batch_idx", "steps"}
)
_PASSES = frozenset(
    {"epoch", "epochs", "episode", "episodes", "iteration", "iter", "itr", "iterations"}
)


def is_metric_name(name: str) -> bool:
    """True if a name sounds like something that a training loop measures."""
    return _METRIC.search(name) is not None


def is_training_name(name: str) -> bool:
    """True if a name sounds like something that nothing but a training loop measures.

    >>> [is_training_name(name) for name in ("avg_reward", "val_acc", "score", "close")]
    [True, True, False, False]
    """
    return _TRAINING.search(name) is not None


def is_training_file(stem: str, *, surely: bool = False) -> bool:
    """True if a file is named like a training log; `surely` if there is no other evidence."""
    return (_TRAINING_ALONE if surely else _TRAINING_FILE).search(stem) is not None


def measured_in(stem: str) -> str | None:
    """The metric that the name of a file suggests for unnamed numbers; None if it suggests none.

    >>> [measured_in(stem) for stem in ("scores_dueling", "ppo_episode_rewards", "results")]
    ['scores', 'episode_rewards', None]
    """
    found = _MEASURED_IN.search(stem)
    return None if found is None else found[0]


def beside_measure(stem: str) -> str | None:
    """The name of a file without the metric in it; None if it names no metric.

    >>> [beside_measure(stem) for stem in ("episode_lengths", "rewards_dqn", "results")]
    ['', 'dqn', None]
    """
    words = re.split(r"[_ -]+", stem)
    rest = [word for word in words if not _MEASURE_WORD.fullmatch(word)]
    return " ".join(rest) if len(rest) < len(words) else None


def confidence(table: Table, step: str | None) -> int:
    """How sure it is that a table is a training log, judged by its columns alone."""
    others = [
        name
        for name in table.columns
        if name != step and not is_time_name(name) and key_kind(name) not in {"run", "rank"}
    ]
    if not others or step is None:
        return 0
    # Only their order matters: the reader with the highest number gets the file, and formats that are
    # known by marks of their own give more than any of these.
    measured = any(map(is_metric_name, others))
    order = step_order(step)
    if order is None:
        return 0
    short = step.rpartition("/")[2].lower().replace(" ", "_")
    if short in _COARSE:
        return 45 if measured else 0
    if short in _PASSES:
        return 50 if measured else 25
    if order >= len(STEP_NAMES):  # by its words alone
        return 45 if measured else 0
    return 55 if measured else 40


def confidence_of(rows: RowCollector, stem: str) -> int:
    """The same for rows that may have to be brought into shape first, of a file called `stem`."""
    table = rows.table()
    shape = arrange(table)
    if shape.runs or shape.parts or shape.pooled or shape.long or shape.nested:
        runs = shape.apply(table)
        first = max((run.tables[0][1] for run in runs), key=lambda one: one.rows)
        measured = any(map(is_metric_name, _measured(first)))
        known = shape.step is not None or shape.long is not None
        return 48 if measured and known and first.rows > 1 else 0
    if shape.step is not None and not is_row_number(shape.step):
        return confidence(table, shape.step)
    return counted_by_rows(table, stem, rows.changes)


def counted_by_rows(table: Table, stem: str, changes: dict[str, int] | None = None) -> int:
    """Confidence in a table without a step column: something must speak of training, and nothing of
    another kind of table. `changes` says how often each text changed from row to row."""
    if table.rows < _MIN_ROWS or is_of_things(table.rows, changes or {}) or _is_a_search(table):
        return 0
    still = any(is_step_name(n) and _stands_still(c.values) for n, c in table.columns.items())
    if still and not is_training_file(stem):
        return 0  # samples of one step
    names = _measured(table)
    if {name.lower() for name in table.columns} & _PRICES:
        return 0
    if any(map(is_training_name, names)):
        return 35
    if is_training_file(stem) and any(_OUTCOME.search(name) for name in names):
        return 30
    return 0


def _stands_still(values: FloatArray) -> bool:
    """True if a counter never moves from where it is; one that stays at 0 was never set."""
    return len(values) > 1 and bool((values == values[0]).all()) and values[0] != 0


def _measured(table: Table) -> Iterable[str]:
    return [
        name
        for name, column in table.columns.items()
        if not (is_time_name(name) or is_elapsed_name(name) or is_step_name(name) or key_kind(name))
        and len(column.values) >= min(_MIN_ROWS, 0.5 * table.rows)
    ]


def is_of_things(rows: int, changes: dict[str, int]) -> bool:
    """True if each row describes another named thing, so that rows are no time series."""
    return any(count > 0.5 * rows and not is_time_name(name) for name, count in changes.items())


def _is_a_search(table: Table) -> bool:
    """True if a setting goes up and down from row to row, as no schedule does."""
    for name, column in table.columns.items():
        if _SETTING.search(name) and len(column.values) > 2:
            moves = np.sign(np.diff(column.values))
            moves = moves[moves != 0]
            if int((np.diff(moves) != 0).sum()) >= 2:
                return True
    return False
