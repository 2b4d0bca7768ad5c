"""Plain text logs: what a training loop prints as counts and `key: value`, `key=value`, `key value`.

What counts as a row: a line with a count and at least one value (`iter 20: loss 1.8`); a line of values
under a line that announced a count (Keras' `Epoch 3/10`, OLMo's `[step=20/100]`), or after one if it
speaks of a loss, a reward, an accuracy; a progress bar with values beside it, once per position.
`_console_grammar` says how a line is read, `_console_counts` how counts become steps.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from runvitals.catalog.resolving.names import FOREIGN_WORDS
from runvitals.readers.console import _counts as counts_
from runvitals.readers.console._evaluations import PrintedEvaluation, counts_anew, section
from runvitals.readers.console._gaps import counter, is_learning, tokens
from runvitals.readers.console._grammar import BATCH, MAX_LENGTH, Sentence, read_line
from runvitals.readers.console._lines import Axis, Found, LineParser, clean
from runvitals.readers.console._sniff import console_reader, is_json, is_text, start_of
from runvitals.readers.console._words import STRONG, TRAINING_COUNTS
from runvitals.readers.raw.numbers import parse_number, parse_time
from runvitals.readers.raw.source import uncompressed_name
from runvitals.readers.rows.column_names import is_step_name, normalized
from runvitals.readers.rows.table import Table

ID = "key-value-text"

_SEARCHED = 2**20  # bytes of a file in which lines have to agree
_TIME = "_timestamp"
_UNCOUNTED: Axis = ""
_MIN_UNCOUNTED = 5
_MIN_ALIKE = 3
_SHARE_UNCOUNTED = 0.2  # of the lines, that rows without a count are at least
_NOISE_BELOW = 2  # a name that comes in fewer of many rows, and that no training uses, is noise
_MANY_ROWS = 10

_BAR = re.compile(r"\d{1,3}%\|[^|\n]{0,300}\| *(\d{1,12})/(\d{1,12}) \[([^\]\n]{0,2000})\]?")
_RATES = ("/step", "/s", "/sec", "/it", "/epoch", "/sample")
_RATE = re.compile(r"(?:[\d.]{1,20}|\?)\s?[A-Za-z]{0,20}/[A-Za-z]{1,20}(?:, |$)")
_KERAS = re.compile(r"\s*(\d{1,15})/(\d{1,15}) +(?![A-Za-z])")
_RULE = re.compile(r"[\s=*_#+.|│┃─━┼-]*")
_APART = re.compile(r"\s{2,}|\s*[|│┃]\s*|\t+")
_ASIDE = re.compile(r"\s{1,9}[\[(][^\[\]()]{0,40}[\])]$")  # "[115s]" behind a row
_COLUMN = re.compile(r"[^\W\d_][\w./%@#()+ -]{0,40}")
# The least that a line has to hold to be looked at closely.
_TELLING = (
    "step", "epoch", "iter", "itr", "episode", "update", "batch", "loss", "rew", "return", "score",
    "acc", "kl", "entropy", "ppl", "perplex", "lr", "mse", "nll", "error", "frame", "round", "cycle",
    "gener", "trial", "rollout", "game", "ep ", "ep:", "ep=", "sps", "fps", "success", "win", "ret",
    "episodi", "recompens", "perdida", "belohnung",
)  # fmt: skip
_DIGIT = re.compile(r"\d|[nN][aA][nN]")
# What a recorded run prints: its metrics are in its folder, and here some of them, rounded.
_BEST = re.compile(
    r"\bbest\b.*\bsav(?:e|ed|ing)\b|\b(?:new|saved?|saving)\b.*\bbest\b", re.IGNORECASE
)
OWN = re.compile(
    r"step [\d,]+(?:/[\d,]+ \(\d+%\))?  (?:outcome|evaluation|health|data|speed|other) "
)
_NOTES, _SHARE_OF_NOTES = (".md", ".rst"), 0.5  # the share of their lines that has to be rows
_NOT_LOGS = (
    ".py", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".sh", ".html", ".htm",
    ".js", ".ts", ".css", ".ipynb", ".xml", ".tex", ".c", ".cc", ".cpp", ".h",
    ".rs", ".go", ".java", ".sql", ".svg", ".diff", ".patch", ".lock", ".bib",
)  # fmt: skip


class KeyValueParser(LineParser):
    """Rows from lines; those that count in another unit (episodes between iterations) stand on another
    axis: their steps are never mixed.
    """

    ID = ID
    fewest_rows = 2

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[str, float] = {}  # that hold for lines without any
        self._totals: dict[str, float] = {}
        self._heading = False  # they were announced on a line of their own
        self._near = False  # nothing foreign stood between them and this line
        self._bar: tuple[tuple[float, ...], Found] | None = None  # a bar's newest row
        self._axes: dict[Axis, counts_.Axis] = {}
        self._epoch = 0.0  # that a line of its own told
        self._training: dict[str, float] = {}  # the counts of the last row of training
        self._trained = 0  # rows of training so far
        self._evaluation: PrintedEvaluation | None = None  # that is being printed
        self._columns: list[str] = []  # names over a printed table
        self._boxed: dict[str, float] | None = None  # counts since a line was drawn, one to a line

    def few(self, axis: Axis) -> int:
        """Rows without a count need company, unless nothing in the log counts."""
        if axis == _UNCOUNTED:
            return 2**31 if self._counts else _MIN_UNCOUNTED
        return self.fewest_rows

    def feed(self, line: str) -> Iterator[Found]:
        """The row on this line."""
        if len(line) > MAX_LENGTH or (line.startswith("step ") and OWN.match(line)):
            self._near = False
            return
        if "%|" in line and (bar := _BAR.search(line)):
            yield from self._progress(line, bar)
            return
        if _RULE.fullmatch(line):
            self._boxed = {} if line.strip() else None
            return
        keras = _KERAS.match(line)
        if keras is not None and keras[1] != keras[2]:
            return  # a bar on its way: means since the epoch began
        if self._columns and (cells := _cells(line, self._columns)):
            yield from self._table_row(cells)
            return
        if _DIGIT.search(line) is None and (columns := _column_names(line)):
            self._columns = columns
            return
        said = read_line(line.strip()) if _worth_reading(line, self._near) else None
        if (said is None or not said.values) and (split := section(line)) is not None:
            yield from self._evaluated()
            # what follows is about this split, if anything was trained before it
            self._evaluation = PrintedEvaluation(split) if split and self._training else None
            if said is None or not said.heading:
                return
        if said is None or not (said.counts or said.values):
            self._near, self._boxed = False, None
            return
        if self._bar is not None:
            yield from self._drawn_last()
        if said.values and _BEST.search(line):  # only ever better: not what was measured each time
            said.values = {f"best {name}": value for name, value in said.values.items()}
        if self._evaluation is None and not said.split:
            yield from self._trained_row(said, keras=keras is not None)
        else:
            yield from self._rows_of(said, keras=keras is not None)

    def _rows_of(self, said: Sentence, *, keras: bool) -> Iterator[Found]:
        """The row of a sentence: of the training, or of an evaluation that counts for itself."""
        known = self._evaluation
        if known is None and counts_anew(said, self._training):
            known = self._evaluation = PrintedEvaluation(said.split, announced=False)
        if known is not None and said.counts and known.is_left(said, self._training):
            yield from self._evaluated()
            known = self._evaluation = None
        if known is None:
            yield from self._trained_row(said, keras=keras)
        elif said.counts or known.counts:
            known.take(said)
            if len(known.rows) > max(self._trained, _MIN_UNCOUNTED):
                self._evaluation = None  # too long to be one: another training
                for row in known.rows:
                    yield from self._trained_row(row, keras=False)
        else:
            said.values = {known.named(name): value for name, value in said.values.items()}
            yield from self._trained_row(said, keras=keras)

    def _evaluated(self) -> Iterator[Found]:
        """The row of an evaluation that has ended: means, where the training stands."""
        known = self._evaluation
        if known is not None and (means := known.means()):
            known.rows = []
            yield self._row(Sentence(dict(self._training), {}, means))

    def _trained_row(self, said: Sentence, *, keras: bool) -> Iterator[Found]:
        """The row of a sentence, with the counts of one before it where it has none itself."""
        counted = said.setting or (self._boxed and not said.counts)
        if self._boxed is not None and said.clean and counted:
            self._near = True
            self._boxed |= said.counts  # "steps: 500" between two lines: a setting, or what counts
            if said.values:
                said.counts = dict(self._boxed)
                yield self._row(said)
        elif said.counts:
            if said.heading or said.values:
                self._remember(said)
            else:
                self._near = False
            if said.values:
                yield self._row(said)
        elif all(name.endswith(_RATES) for name in said.values):
            pass  # "1/1 - 13ms/step": how fast, and nothing else
        elif self._counts and (
            (self._near and said.clean) or (said.learning and (said.clean or keras))
        ):
            said.counts, said.totals = dict(self._counts), dict(self._totals)
            yield self._row(_introduced(said))
        else:
            self._near = False
            if not self._counts and said.clean and _speaks_of_training(said):
                yield self._row(_introduced(said))

    def end(self) -> Iterator[Found]:
        """The rows that are still open: of the bar that is drawn last, of an evaluation."""
        yield from self._drawn_last()
        yield from self._evaluated()

    def _drawn_last(self) -> Iterator[Found]:
        if self._bar is not None:
            row, self._bar = self._bar[1], None
            yield row

    def _remember(self, said: Sentence) -> None:
        known = self._training if said.split else self._counts
        if said.split and BATCH in said.counts and BATCH in known:
            own = {pair for pair in said.counts.items() if pair[0] != BATCH}
            if own <= known.items():
                # batches of a validation are counted anew: they stand where the training does
                said.counts, said.totals = dict(known), dict(self._totals)
        if len(said.counts) == 1:
            [(name, value)] = said.counts.items()
            if _counts_epochs(name):
                self._epoch = value
        if len(said.counts) < len(known) and said.counts.items() <= known.items():
            # the end of an epoch, whose batches were counted: it stands where the last of them does
            said.counts, said.totals = dict(known), dict(self._totals)
        self._counts, self._totals = dict(said.counts), dict(said.totals)
        if not said.split:
            self._training = self._counts
        self._heading = not said.values
        self._near = True

    def _row(self, said: Sentence) -> Found:
        self._trained += not said.split
        row = {**said.values, **said.counts}
        for name, total in said.totals.items():
            row[counts_.TOTAL + name] = total
        axis = ",".join(sorted(said.counts))
        if axis and not _counts_epochs(axis):
            row[counts_.EPOCH] = self._epoch
        if said.time and (moment := parse_time(said.time)) is not None:
            row[_TIME] = moment
        return axis, row

    def _table_row(self, cells: dict[str, float]) -> Iterator[Found]:
        """A row of a table that is printed as the training goes."""
        said = Sentence()
        for name, value in cells.items():
            (said.counts if counter(name) or is_step_name(name) else said.values)[name] = value
        if said.counts and said.values:
            yield from self._drawn_last()
            yield from self._rows_of(said, keras=False)

    def _progress(self, line: str, bar: re.Match[str]) -> Iterator[Found]:
        """A bar is drawn many times; the last time at each position counts."""
        said = read_line(line[: bar.start()].strip(" \t:"))
        rate = _RATE.search(bar[3])
        beside = read_line(bar[3][rate.end() :] if rate else "")
        for name, value in beside.values.items():
            said.values.setdefault(
                f"{said.split}/{name}" if said.split and name == name.rpartition("/")[2] else name,
                value,
            )
        if not said.counts and self._heading:
            said.counts = dict(self._counts)
        if not said.values or not (said.learning or said.counts):
            return  # a download, a generation
        inner = BATCH if said.counts else "step"
        said.counts[inner], said.totals[inner] = float(bar[1]), float(bar[2])
        if float(bar[1]) == 0.0:
            return  # drawn before anything happened
        place = tuple(said.counts.values())
        if self._bar is not None and self._bar[0] != place:
            yield from self._drawn_last()
        self._bar = place, self._row(said)

    def keeps(self, axis: Axis, table: Table) -> bool:
        """Counts that never move are settings: "Episodes: 500 | Actions: 4"."""
        columns = [table.columns[name] for name in axis.split(",") if name in table.columns]
        return not columns or any(len(set(column.values.tolist())) > 1 for column in columns)

    def settle(self, axis: Axis, table: Table) -> str | Sequence[float] | None:
        """Steps from the counts; names that came once by chance are left out."""
        names = tuple(name for name in axis.split(",") if name)
        if table.rows >= _MANY_ROWS:
            for name in list(table.columns):
                rare = len(table.columns[name].values) < _NOISE_BELOW
                if rare and not is_learning(name) and name not in names:
                    del table.columns[name]
        if not names:
            return None
        known = self._axes.setdefault(axis, counts_.Axis(names))
        return known.steps(table)


@lru_cache(maxsize=1024)
def _counts_epochs(axis: Axis) -> bool:
    return any(counter(name) in ("epoch", "epochs") for name in axis.split(","))


def _worth_reading(line: str, near: bool) -> bool:
    if _DIGIT.search(line) is None:
        return False
    if near:
        return True
    lowered = line.lower()
    if any(word in lowered for word in _TELLING):
        return True
    return not line.isascii() and FOREIGN_WORDS.search(lowered) is not None


def _introduced(said: Sentence) -> Sentence:
    """Tells apart values of several things that are printed one line each."""
    if said.label:
        said.values = {f"{said.label}/{name}": value for name, value in said.values.items()}
    return said


def _speaks_of_training(said: Sentence) -> bool:
    """True if values without any count are a row: several, or one that can be nothing else."""
    if len(said.values) >= 2:
        return said.learning
    return any(not STRONG.isdisjoint(tokens(name)) for name in said.values)


def _column_names(line: str) -> list[str]:
    """The names over a printed table: words apart from each other, of which one counts."""
    if len(line) > 1000:
        return []
    if "  " in line.strip() or "\t" in line or "|" in line or "│" in line:
        names = [name for name in _APART.split(line.strip(" |│\t")) if name]
    else:
        names = line.split()
        if not names or not (counter(names[0]) or is_step_name(names[0])):
            return []  # a sentence
    if len(names) < 3 or not all(_COLUMN.fullmatch(name) for name in names):
        return []
    counts = any(counter(name) or is_step_name(name) for name in names)
    return (
        names if counts and any(map(is_learning, names)) and len(set(names)) == len(names) else []
    )


def _cells(line: str, names: list[str]) -> dict[str, float]:
    """The numbers of a line that fits below the names; nothing when it does not."""
    text = _ASIDE.sub("", line.strip(" |│\t"))
    if not text[:1].isdigit() or len(line) > 1000:
        return {}
    cells = [cell for cell in _APART.split(text) if cell]
    if len(cells) != len(names):
        cells = text.split()
    if len(cells) != len(names):
        return {}
    found: dict[str, float] = {}
    for name, cell in zip(names, cells, strict=True):
        value = parse_number(cell.rstrip("%s").replace(",", ""))
        if value is not None:
            found[name] = value / 100.0 if cell.endswith("%") else value
    return found if len(found) >= max(2, len(names) // 2) else {}


_TABLES = (".csv", ".tsv")
# what rows of equal names count or hold
_Shapes = dict[tuple[str, ...], Counter[tuple[float, ...]]]


def sniff(path: Path, head: bytes) -> int:
    """At least three lines of one shape whose count moves."""
    name = uncompressed_name(path)
    if name.endswith(_NOT_LOGS) or not is_text(head):
        return 0
    if is_json(head):
        return 0
    share = _SHARE_OF_NOTES if name.endswith(_NOTES) else 0.0
    for data in (head, start_of(path, head)[:_SEARCHED]):
        if lines_agree(data.replace(b"\r", b"\n").split(b"\n")[:200_000], share):
            if name.endswith(_TABLES):
                return 5  # sentences in a table's clothes: only if no table is found in it
            return 35 if name.endswith((".log", ".txt", ".out", ".err")) else 25
    return 0


def lines_agree(lines: Sequence[bytes], share: float = 0.0) -> bool:
    """True if lines of one shape come again and again, as only the log of a training has them.

    `share`: of the lines, that have to be rows.
    """
    parser = KeyValueParser()
    shapes: _Shapes = {}
    if share and sum(any(parser.feed(clean(raw)[0])) for raw in lines) < share * len(lines):
        return False
    parser = KeyValueParser()
    full = 0
    for raw in lines:
        text, _ = clean(raw)
        full += bool(text) and not text.isspace()
        for axis, row in parser.feed(text):
            if _shape_agrees(shapes, axis, row):
                return True
        if len(shapes) > 1000:
            return False
    for axis, row in parser.end():
        if _shape_agrees(shapes, axis, row):
            return True
    return any(
        len(seen) >= _MIN_UNCOUNTED and seen.total() >= _SHARE_UNCOUNTED * full
        for shape, seen in shapes.items()
        if shape[0] == _UNCOUNTED
    )


def _shape_agrees(shapes: _Shapes, axis: Axis, row: Mapping[str, Any]) -> bool:
    names = axis.split(",") if axis else []
    values = sorted(name for name in row if name[0] != "\0" and name != _TIME and name not in names)
    shape = shapes.setdefault((axis, *values), Counter())
    shape[tuple(row[name] for name in names or values)] += 1
    if not names or len(shape) < _MIN_ALIKE:
        return False
    counts = (word for name in names for word in (normalized(name), tokens(name)[-1]))
    if any(map(is_learning, values)) or not TRAINING_COUNTS.isdisjoint(counts):
        return True
    return len(shape) >= _MIN_UNCOUNTED and len(values) >= 2  # of no word that is known


READER = console_reader(
    KeyValueParser, "text log of a training loop: counts, and values under names", sniff, at_most=35
)
