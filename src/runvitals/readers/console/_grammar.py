"""One grammar for the lines that training loops print: counts, and values under names.

    Epoch 3/10 | Step 20/400 | loss: 0.31 (0.33) | lr 2e-05 | 120ms | acc 91.5%

A line is read from number to number. What stands before a number names it: a word that counts
(`Epoch 3/10`, `[step=20]`, `iter 20:`), a name with a separator (`loss: 0.31`, `loss=0.31`), or a bare
name (`lr 2e-05`). Bare names are believed only when the line holds nothing else, so that prose with
numbers in it is not a row of metrics. Units are kept: a percentage becomes a fraction, `12K` is 12,000,
milliseconds and bytes stand in the name (`time (ms)`).
"""

import re
from dataclasses import dataclass, field

from runvitals.readers.console._gaps import (
    TRAIN,
    TextBefore,
    about_in,
    between,
    has_split,
    is_learning,
    needs_no_mark,
    tells_a_window,
    tokens,
)
from runvitals.readers.console._words import OF_TRAINING, SHARES, SPLITS, plain
from runvitals.readers.raw.numbers import parse_duration, parse_number

MAX_LENGTH = 4_096  # characters of a line of this kind
BATCH = "batch"  # the name of an inner count that has none: `Epoch: 1 [640/60000]`

# A number begins with a character of its own, so that the search is quick; what follows is looked at.
_DIGITS = (
    r"\d{0,40}(?:,\d{3}(?![\d.]?\d)|,\d{3}(?=[,.]\d)){0,6}(?:\.\d{0,40})?"
    r"(?:(?<=[\d.])[eE][-+]?\d{1,4})?"
)
_PART = re.compile(rf"[-+.\d](?<![\w.@\-][-+.\d]){_DIGITS}")
_ANY_PART = re.compile(
    rf"[-+.\d](?<![\w.@\-][-+.\d]){_DIGITS}(?:(?<=[-+])[iI]nf(?:inity)?)?"
    rf"|(?<![\w.@])(?:nan|NaN|NAN|[iI]nf|INF|[iI]nfinity)(?!\w)"
)
_LARGE = re.compile(r"\d(?:\.\d{1,40})?[eE]\+\d{1,4}")  # a count by `%g`, once it has many digits
_CLOCK = re.compile(r"(?:\d{1,4} days?, )?\d{1,4}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?![\w:])")
_NO_NUMBER = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d?:\d\d(?::\d\d)?(?:[.,]\d{1,9})?)?|\d{1,9}(?:\.\d{1,9}){2,8}"
)
_UNIT = re.compile(
    r"\s?%|[ ]?(?:ms|µs|us|ns|secs?|seconds?|mins?|minutes?|hrs?|hours?|[kKMGT]i?B|s|m|h|x"
    r"|[bB][pP][cCbB]|bits?|nats?)(?![\w/])"
    r"|[KMBGk](?![\w/])|[ ]?[A-Za-zµ]{1,12}/[A-Za-z]{1,12}(?:/[A-Za-z]{1,12})?(?!\w)"
)
# What loggers put before their message: dates, levels, names of modules, in any order.
_LOGGER = re.compile(
    r"(?:\s{1,8}|[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{1,9}\s{1,9}\d{1,19} [\w.]{1,60}:\d{1,6}\]"
    r"|\[(?:[A-Za-z_][\w.]{0,60}(?::\d{1,6})?|[\d:/., TZ+-]{2,40}(?: [A-Za-z][\w.-]{0,60})?)\]"
    r"|\([\w./-]{1,80}\.py[ :]\d{1,6}\)"
    r"|\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d?:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|(?:\d{1,2}/\d{1,2}(?:/\d{2,4})? )?\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?(?: [AP]M)?"
    r"|(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|SUCCESS|TRACE|root|__\w{1,40}__)\b"
    r"|[A-Za-z_]\w{0,60}(?:\.\w{1,60}){1,8}(?::\w{1,60})?:\d{1,6}(?=\s)"
    r"|[a-z_]\w{0,60}(?:\.[a-z_]\w{0,60}){1,8}(?=:|\s-\s|\s?\|)"
    r"|[A-Za-z][\w-]{0,60}:\d{1,6}(?=\s+\S)(?=\t)"
    r"|(?<=\s)[-|>](?=\s)|(?<=[\]\w]):(?=\s|[A-Za-z_\[]))+"
)
_WRAPPED = re.compile(
    r"(?:\b(?:np|numpy|torch|jnp|jax\.numpy)\.)?\b(?:tensor|[aA]rray|DeviceArray|b?float\d{0,2}|u?int\d{0,2}|Decimal)"
    r"\(\s{0,4}['\[]{0,3}\s{0,4}([-+]?[\d.]{1,40}(?:[eE][-+]?\d{1,4})?|nan|-?inf)\s{0,4}['\]]{0,3}"
    r"(?:,[^()]{0,120}(?:\([^()]{0,60}\)[^()]{0,60})?)?\)"
)
_MULTIPLES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9}
_TOLD_UNITS = {
    "ms": "ms", "µs": "µs", "us": "µs", "ns": "ns", "m": "min", "min": "min", "mins": "min",
    "minute": "min", "minutes": "min", "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
}  # fmt: skip


@dataclass(slots=True)
class Sentence:
    """What a line says."""

    counts: dict[str, float] = field(default_factory=dict)  # in the order of the line
    totals: dict[str, float] = field(default_factory=dict)  # of counts: `3/10`
    values: dict[str, float] = field(default_factory=dict)
    split: str = ""  # the line is about this part of the data, if it says so and it is not training
    clean: bool = True  # there is nothing but counts and values in the line
    words: int = 0  # that belong to no name
    setting: bool = False  # its counts may be numbers of things to come: "Epochs: 10"
    time: str = ""  # the date and time that the line begins with
    label: str = ""  # what the values are about, if they are introduced
    items: dict[int, str] = field(default_factory=dict)  # from which part on they are about an item
    segments: frozenset[str] = frozenset()  # splits that parts of the line are about

    @property
    def heading(self) -> bool:
        """True if the line announces a count and says nothing else."""
        running = bool(self.totals) or not self.setting
        return bool(self.counts) and not self.values and self.words <= 3 and running

    @property
    def learning(self) -> bool:
        """True if one of the names is one that only a training has."""
        return any(is_learning(name) for name in self.values)


# the last line of a traceback, and of a warning
_RAISED = re.compile(r"(?:\w{1,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Interrupt|Warning): ")


class _Part:
    """A number in the line."""

    __slots__ = (
        "after", "bare", "count", "item", "name", "segment", "text", "total", "unit", "value",
    )  # fmt: skip

    def __init__(self, text: str, unit: str, value: float | None) -> None:
        self.text, self.unit, self.value = text, unit, value
        self.name = self.count = ""
        self.bare = False
        self.item = False  # it numbers what is spoken of: "agent 1: ..."
        self.segment = self.after = ""  # the splits that were named before it, "train" included
        self.total: float | None = None


def read_line(text: str) -> Sentence:
    """The counts and values of a line.

    >>> read_line("iter 20: loss 1.8, time 20ms, mfu 35%").values
    {'loss': 1.8, 'time (ms)': 20.0, 'mfu': 0.35}
    >>> s = read_line("Epoch:[1/2](20/4292), loss: 0.5, lr: 1e-5")
    >>> s.counts, s.totals, s.values
    ({'Epoch': 1.0, 'batch': 20.0}, {'Epoch': 2.0, 'batch': 4292.0}, {'loss': 0.5, 'lr': 1e-05})
    >>> read_line("step 3 of the plan is to call 5 people").values
    {}
    >>> read_line("AssertionError: loss is nan").values
    {}
    """
    said = Sentence()
    if _RAISED.match(text):
        return said
    text = plain(text)
    if _STUCK.search(text) or text[:1] == "[":
        text = _GLUED.sub(_unglued, text)
    if prefix := _LOGGER.match(text):
        date = _DATE.search(prefix[0])
        said.time = date[0] if date else ""
        said.split = about_in(prefix[0]).split
        text = plain(text[prefix.end() :])
    if "(" in text:
        text = _WRAPPED.sub(r"\1", text)
    reading = _Reading(text, said)
    odd = "nan" in text or "inf" in text or "NaN" in text or "Inf" in text or "NAN" in text
    for found in (_ANY_PART if odd else _PART).finditer(text):
        if found.start() >= reading.place:
            reading.take(found)
    last = about_in(text[reading.place :][:_MAX_GAP])
    said.words += last.words
    said.split = said.split or last.split
    _settle(said, reading.parts, reading.loose + last.loose)
    return said


def without_logger(text: str) -> str:
    """A line without what a logger put before its message."""
    prefix = _LOGGER.match(text)
    return text[prefix.end() :] if prefix else text


class _Reading:
    """How far a line has been read: the numbers so far, and where the text goes on after them."""

    __slots__ = ("after", "before", "loose", "parts", "place", "said", "segment", "text")

    def __init__(self, text: str, said: Sentence) -> None:
        self.text, self.said = text, said
        self.parts: list[_Part] = []
        self.before: _Part | None = None  # the number before, if what follows may speak of it
        self.place = self.loose = 0
        self.segment = ""  # the split of the label before: "train: ... | val: ..."
        self.after = ""  # the split that was named last, by a label or within a name

    def take(self, found: re.Match[str]) -> None:
        """Take what looks like a number: dates and versions are not, and a clock is a duration."""
        text, (start, end) = self.text, found.span()
        after = text[end : end + 2]
        if after[:1] in (":", "-", "/", ".", " ") and after[1:].isalnum():
            if other := _NO_NUMBER.match(text, start):
                self.said.words += self._gap(start).words
                self.place, self.before = other.end(), None
                return
            if other := _CLOCK.match(text, start):
                self._take_clock(other)
                return
            if after[:1] == ".":
                return  # a file name
        value = parse_number(found[0].replace(",", "").rstrip("."))
        if value is None:
            return
        unit = ""
        if after[:1].isalpha() or after[:1] in ("%", "_") or after[1:].isalpha() or after == " %":
            if other := _UNIT.match(text, end):
                unit, end = other[0].strip(), other.end()
            elif after[:1].isalpha() or after[:1] == "_":
                return  # 3x3, 0x1f, 2nd
        self._take_number(_Part(found[0], unit, value), self._gap(start), end)

    def _gap(self, start: int) -> TextBefore:
        return between(self.text[self.place : start][-_MAX_GAP:])

    def _take_clock(self, found: re.Match[str]) -> None:
        gap = self._gap(found.start())
        seconds = parse_duration(found[0].replace(",", "."))
        if seconds and gap.name and gap.explicit:
            part = _Part("", "", seconds)
            part.name = gap.name
            self.parts.append(part)
        self.before = None
        self._go_on(gap, found.end())

    def _take_number(self, part: _Part, gap: TextBefore, end: int) -> None:
        before, number = self.before, part.text
        if gap.parts and before is not None and before.total is None:
            before.total = part.value
            self.place = end
            return
        whole = number.isdigit() or ("," in number and "." not in number)
        whole = whole or bool(_LARGE.fullmatch(number))
        if gap.empty:
            self._name_by_neighbour(part, gap, end, whole=whole)
        elif gap.name:
            if not gap.explicit and number[-1] in "nfyNFY" and not is_learning(gap.name):
                return  # "number of nan iterations: 0"
            self._name_by_text(part, gap, end, whole=whole)
        self.parts.append(part)
        self.before = part
        self._go_on(gap, end)

    def _name_by_neighbour(self, part: _Part, gap: TextBefore, end: int, *, whole: bool) -> None:
        """Name a number that has no text before it: by the number before, or by its own unit."""
        before = self.before
        counted = before is not None and before.count
        if counted and whole and gap.opened and _TOTAL.match(self.text, end):
            part.name = part.count = BATCH  # the batch within the epoch
        elif "/" in part.unit:
            part.name, part.unit = part.unit, ""  # "398 tok/s"
        elif before is not None and before.item and self.text[self.place] in ":=":
            part.name, before.name = f"{before.name} {before.text}", ""  # "agent 0: 5.5"

    def _name_by_text(self, part: _Part, gap: TextBefore, end: int, *, whole: bool) -> None:
        """Name a number by the text before it, which may also speak of the number before that."""
        before = self.before
        part.name, part.bare = gap.name, not gap.explicit
        if gap.count and not part.unit and (whole or gap.name.lower() == "epoch"):
            part.count = gap.count
        elif gap.explicit and gap.alone and before is not None and before.bare:
            windowed = tells_a_window(gap.name) or tells_a_window(before.name)
            if not before.count and (windowed or not is_learning(before.name)):
                # "average score over 100 episodes: 12.3", "agent 1 reward: 12.3"
                part.name = f"{before.name} {before.text} {gap.name}"
                before.name = ""
        part.item = part.bare and whole and not part.count and self.text[end : end + 1] == ":"
        if before is not None and before.item and self.text[self.place] == ":":
            self._begin_item(before)

    def _begin_item(self, before: _Part) -> None:
        """What follows is about one thing: "Test net output #0: accuracy = 0.9", "agent 1: ..."."""
        said = self.said
        about = next((word for word in tokens(before.name) if word in SPLITS), "")
        said.split = said.split or about
        item = "" if about or has_split(before.name) else f"{before.name} {before.text}"
        said.items[len(self.parts)] = item
        before.name = ""

    def _go_on(self, gap: TextBefore, end: int) -> None:
        said = self.said
        said.split = said.split or gap.split
        if gap.split or gap.trains:
            self.segment = gap.split or TRAIN
            said.segments |= {self.segment}
            self.after = self.segment
        if gap.named:
            self.after = gap.named
        if self.after and self.parts:
            self.parts[-1].segment, self.parts[-1].after = self.segment, self.after
        if not said.label and len(self.parts) <= 1:
            said.label = gap.label
        if self.parts and self.place:
            self.loose += gap.loose
        said.words += gap.words
        self.place = end


_MAX_GAP = 160
# `[E3]`, `epoch3`, `loss: 0.5Acc: 0.9`, and the `[12]` that boosting libraries begin a line with
_STUCK = re.compile(r"\d(?:(?<=[hdprsiE_]\d)|[A-Za-z][a-z]{2})")  # cheap, before the dear one
_GLUED = re.compile(
    r"(?<![\w./-])(epoch|episode|ep|step|iter)_?(\d{1,9})(?![\w.-])|\[E(\d{1,9})\]|\A\[(\d{1,9})\](?=\s)"
    r"|([:=]\s{0,4}[-+]?\d{1,20}(?:\.\d{1,20})?)(?=(?-i:[A-Z][a-z]{3})|[a-z]{3,12}\s?[:=])",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?")
_TOTAL = re.compile(r"\s?/\s?\d")


def _unglued(found: re.Match[str]) -> str:
    if found[3] or found[5]:
        return f"[epoch {found[3]}]" if found[3] else f"{found[5]} "
    return f"iteration {found[4]} |" if found[4] else f"{found[1]} {found[2]}"


def _settle(said: Sentence, parts: list[_Part], loose: int) -> None:
    """Sort what was found into counts and values."""
    for part in parts:
        if part.count and part.value is not None and part.name not in said.counts:
            said.counts[part.name] = part.value
            said.setting = said.setting or (not part.bare and part.name[-1:] in "sS")
            if part.total is not None:
                said.totals[part.name] = part.total
    said.clean = not loose
    said.split = said.split or _split_of_first(said, parts)
    apart = len(said.segments) > 1  # "train: loss=0.5 | val: loss=0.6"
    if apart and TRAIN in said.segments:
        said.split = ""
    item = ""
    for index, part in enumerate(parts):
        item = said.items.get(index, item)
        if (
            part.count
            or not part.name
            or part.value is None
            or (part.bare and loose and not (said.counts and needs_no_mark(part.name)))
        ):
            continue
        name, value = _in_unit(part)
        if item:
            name = f"{item}/{name}"
        split = part.segment if apart else said.split
        if split and not has_split(name):
            name = f"{split}/{name}"
        if name in said.values and part.after and not has_split(name):
            name = f"{part.after}/{name}"  # "Train Loss: 1 Acc: 2 | Val Loss: 3 Acc: 4"
        if name not in said.values:
            said.values[name] = value


def _split_of_first(said: Sentence, parts: list[_Part]) -> str:
    """The split that the first value names for all of a line: "val Loss: 0.5 Acc: 0.9"."""
    if said.counts or len(parts) < 2:
        return ""
    named = [part.name for part in parts if part.name and part.value is not None]
    if len(named) < 2:
        return ""
    first, *others = named
    split = first.partition(" ")[0].lower()
    if split not in SPLITS or " " not in first or any(map(has_split, others)):
        return ""
    return "" if any(not OF_TRAINING.isdisjoint(tokens(name)) for name in others) else split


def _in_unit(part: _Part) -> tuple[str, float]:
    name, value, unit = part.name, part.value or 0.0, part.unit
    if part.total and tokens(name) and not SHARES.isdisjoint(tokens(name)):
        return name, value / part.total
    if unit == "%":
        return name, value / 100.0
    lowered = unit.lower()
    if unit in _MULTIPLES:
        return name, value * _MULTIPLES[unit]
    told = _TOLD_UNITS.get(lowered)
    if told is None and lowered.endswith("b") and len(lowered) in (2, 3):
        told = unit
    return (f"{name} ({told})" if told else name), value
