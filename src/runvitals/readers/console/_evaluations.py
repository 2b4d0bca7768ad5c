"""Parts of a console log that evaluate what was trained: the headings over them, and what they measure.

Below `----- EVALUATION -----` or `Testing the trained agent for 10 episodes:` a loop often counts anew,
so that its rows look like another training. They are one measurement: their means stand where the
training does, under the name of the split.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from runvitals.readers.console._gaps import counter, has_split, tokens
from runvitals.readers.console._grammar import Sentence, without_logger

_MAX_LENGTH = 100  # characters of a heading
_MENTIONED = re.compile(r"test|eval|valid|inference|train", re.IGNORECASE)
_BEFORE = (
    r"(?:(?:starting|start|running|run|beginning|begin|now|final|post|model|agent|policy|the|"
    r"performing|perform|phase|step|stage|part|section|on|of|\d{1,3}|quick|greedy|periodic)\b"
    r"[\s:.)-]{1,3}){0,4}"
)
_EVALUATION = re.compile(
    rf"{_BEFORE}(?P<what>test(?:ing|s)?|evaluat(?:ion|ing|e)|eval|validat(?:ion|ing|e)|inference)"
    r"(?P<rest>(?:[\s,]+[\w'.()+/-]{1,40}){0,10})",
    re.IGNORECASE,
)
_TRAINING = re.compile(
    rf"{_BEFORE}(?:re)?train(?:ing)?(?P<rest>(?:[\s,]+[\w'.()+/-]{{1,40}}){{0,10}})", re.IGNORECASE
)
# What follows these words is no evaluation, or not one of what was trained.
_NOTHING_BEGINS = frozenset(
    "env environment environments data dataset datasets loader size samples split every frequency "
    "interval complete completed done finished finish saved time took mode config configuration "
    "examples images batches files shape loaded set_size episodes_per gpu cuda set passed skipped "
    "started_at device steps ended over results_saved".split()
)
_OTHERS = frozenset("random untrained baseline baselines heuristic".split())
_EPISODES = frozenset("episode episodes ep game games trial".split())
# Only a loop that trains prints these: rows with them are no evaluation.
_OF_UPDATES = frozenset("lr learning entropy kl grad gradnorm gnorm".split())


def section(line: str) -> str | None:
    """The split that a heading announces; "" where training goes on, None when it is no heading.

    >>> section("----- EVALUATION -----"), section("Testing the trained agent for 10 episodes:")
    ('eval', 'test')
    >>> section("Training..."), section("Test accuracy: 0.9"), section("Testing environment...")
    ('', None, None)
    """
    if len(line) > _MAX_LENGTH or _MENTIONED.search(line) is None:
        return None
    text = re.sub(r"^[\W_]+|[\W_]+$", "", without_logger(line.strip()))
    if found := _EVALUATION.fullmatch(text):
        rest = set(tokens(found["rest"]))
        # "for 10 steps", "on 500 samples", "on the test set"
        over = re.search(r"(?:^|\s)(?:for|on|over|with|of)\s", found["rest"])
        if not _NOTHING_BEGINS.isdisjoint(rest) and over is None:
            return None
        if not _OTHERS.isdisjoint(rest):
            return "baseline"
        what = found["what"].lower()
        return "test" if what[0] == "t" else "val" if what[0] == "v" else "eval"
    found = _TRAINING.fullmatch(text)
    if found is None or not _NOTHING_BEGINS.isdisjoint(tokens(found["rest"])):
        return None
    return ""


@dataclass
class PrintedEvaluation:
    """The rows of an evaluation, gathered until training continues."""

    split: str
    announced: bool = True  # by a heading; else each row says so itself
    rows: list[Sentence] = field(default_factory=list)
    counts: dict[str, float] = field(default_factory=dict)  # of the newest row

    def is_left(self, said: Sentence, training: Mapping[str, float]) -> bool:
        """True if a line with counts is of the training again."""
        if said.counts and not self.announced and not said.split:
            return True
        if any(not _OF_UPDATES.isdisjoint(tokens(name)) for name in said.values):
            return not said.split
        now, last = _shared(said.counts, training)
        if now is None or last is None or now <= last:
            return False
        newest, _ = _shared(self.counts, said.counts)
        return newest is None or newest < last

    def take(self, said: Sentence) -> None:
        """Take in a row, or what is said of all rows."""
        if said.counts:
            self.counts = dict(said.counts)
        if said.values:
            self.rows.append(said)

    def means(self) -> dict[str, float]:
        """What was measured: the mean of each name over the rows."""
        totals: dict[str, list[float]] = {}
        for row in self.rows:
            for name, value in row.values.items():
                totals.setdefault(self.named(name), []).append(value)
        return {name: sum(values) / len(values) for name, values in totals.items()}

    def named(self, name: str) -> str:
        """A name as one of this split."""
        return name if has_split(name) else f"{self.split}/{name}"


def counts_anew(said: Sentence, training: Mapping[str, float]) -> bool:
    """True if a row of a split counts episodes of its own, below those that were trained."""
    if not said.split or not said.values:
        return False
    if said.setting and training:  # "Test Episodes: 10, Avg. Reward: 12.3": how many there were
        return True
    own = {name: value for name, value in said.counts.items() if counter(name) in _EPISODES}
    now, last = _shared(own, training)
    return now is not None and last is not None and now < last


def _shared(
    counts: Mapping[str, float], training: Mapping[str, float]
) -> tuple[float | None, float | None]:
    """The counts that two lines have in common, with the value in each."""
    known: dict[str, float] = {}
    for name, value in training.items():
        known.setdefault(_word(name), value)
    for name, value in counts.items():
        if (word := _word(name)) in known:
            return value, known[word]
    return None, None


def _word(name: str) -> str:
    word = counter(name).rstrip("s")
    return {"ep": "episode", "iter": "iteration", "itr": "iteration"}.get(word, word)
