"""What stands between two numbers of a line: mostly a name, or what the line is about."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from runvitals.catalog.resolving.names import in_english
from runvitals.readers.console._words import (
    ABSENT,
    AFTER_COUNTER,
    BEFORE_COUNTER,
    BESIDE_MEASURED,
    COUNTERS,
    FILLERS,
    GENERIC,
    LEARNING,
    MEASURED,
    NO_METRIC,
    SPLITS,
    WINDOWS,
)

TRAIN = "train"
# Where one field ends and the next begins.
_CUT = re.compile(
    r"[,;|\t•·，；、│\]}>]|\s[-–—/~]+\s|\s{2,}|\s->\s|[!?]\s|\.\s|[-=*#_]{3,}|[\[{<]|[^\x00-\x7f]{1,4}\s(?=\w)"
)
_EDGE = " \t-–—~#*>.•·│|\"'`,;"
_OPEN = "([{<'\""
_WORDS = re.compile(r"[^\W\d_]+")
_TOKENS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+")
_NAME = re.compile(r"(?=.*[^\W\d_])[\w%(#@∆Δ][\w./%@#&+*()'^ :-]{0,79}")
_LEVEL = re.compile(
    r"(?:(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|SUCCESS|TRACE|root|__main__|main)\b[:\s\]-]*)+"
)
_SPLIT_LABEL = re.compile(
    r"(?:final |best |on |the )?(?P<split>train|training|val|valid|validation|validating|eval|"
    r"evaluation|evaluating|test|testing|dev)"
    r"(?: (?:set|split|results?|metrics|phase|step|epoch|data|scores?|summary))?"
    r"(?: on '[\w.-]{1,40}' subset)?",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def tokens(name: str) -> tuple[str, ...]:
    """The words of a name, in English and in lower case."""
    return tuple(word.lower() for word in _TOKENS.findall(in_english(name)))


@lru_cache(maxsize=4096)
def is_learning(name: str) -> bool:
    """True if a name has a word in it that only a training uses."""
    return not LEARNING.isdisjoint(tokens(name))


@lru_cache(maxsize=4096)
def counter(name: str) -> str:
    """The word by which a name counts, "" when it does not: `Train Epoch` counts epochs."""
    words = tokens(name)
    if len(words) > 1 and words[-1] in AFTER_COUNTER:
        words = words[:-1]
    if not words or len(words) > 4 or words[-1] not in COUNTERS:
        return ""
    if words[-1] in ("it", "ep", "gen", "mb", "e") and len(words) > 1:
        return ""
    return words[-1] if all(word in BEFORE_COUNTER for word in words[:-1]) else ""


@lru_cache(maxsize=4096)
def has_split(name: str) -> bool:
    """True if a name says itself which part of the data it is about."""
    words = tokens(name)
    return any(word in SPLITS or word in ("train", "training") for word in words)


@dataclass(frozen=True, slots=True)
class TextBefore:
    """What stands between two numbers: mostly the name of the second."""

    name: str = ""
    explicit: bool = False  # a separator follows the name
    count: str = ""  # the word by which the name counts
    alone: bool = False  # there is nothing before the name
    opened: str = ""  # brackets right before the number
    empty: bool = False  # there is no text
    parts: bool = False  # it is "/" or "of": the second number is the total of the first
    split: str = ""  # what the line is about, if it says so here
    trains: bool = False  # it says that what follows is about training
    named: str = ""  # the split that the name itself begins with, training included
    loose: int = 0  # words that belong to nothing
    words: int = 0  # these, and those that look like a label
    label: str = ""  # what stands before a colon: "Gate values: a: 0.5 | b: 0.3"


_PIECES = re.compile(r"([\[\](){}|:;,\t=]|\s[-–—]\s|\s{2,})")


@lru_cache(maxsize=4096)
def about_in(text: str) -> TextBefore:
    """Text that names no number but may say what the line is about."""
    split, label, loose, words, trains = "", "", 0, 0, False
    pieces = _PIECES.split(text)
    for index in range(0, len(pieces), 2):
        piece = pieces[index].strip(_EDGE + "!?%<>_")
        if not piece or piece.lower() in ABSENT:
            continue
        if found := _SPLIT_LABEL.fullmatch(piece):
            word = found["split"].lower()
            split = split or (word if word in SPLITS else "")
            trains = trains or word not in SPLITS
            continue
        follows = pieces[index + 1] if index + 1 < len(pieces) else ""
        spoken = piece.lower().split()
        if follows == ":" and len(spoken) <= 3:
            part = next((word for word in spoken if word in SPLITS), "")  # "Dev BLEU: ..."
            split = split or part
            if not part and not label and GENERIC.isdisjoint(tokens(piece)):
                label = piece
        count = len(_WORDS.findall(_LEVEL.sub("", piece)))
        words += count
        if follows not in (":", "[", "{", "="):
            loose += count
    return TextBefore(split=split, trains=trains, loose=loose, words=words, label=label)


@lru_cache(maxsize=8192)
def between(gap: str) -> TextBefore:
    """What the text before a number says about it. Gaps repeat from line to line."""
    close = gap.rstrip()
    inner = close.rstrip(_OPEN + " ")
    opened = close[len(inner) :]
    if not opened and inner.strip() in ("/", "of", "out of"):
        return TextBefore(parts=True)
    if not inner.strip(" \t])},|-:"):
        if not ("[" in opened or "(" in opened):
            opened = "".join(mark for mark in ",|:" if mark in inner)
        return TextBefore(empty=True, opened=opened)
    explicit = inner.endswith((":", "=", "：", "->", "→"))
    body = inner[:-2] if inner.endswith("->") else inner
    body = body.rstrip(":=：→ ")
    rest, name = _last_field(body)
    about = about_in(rest)
    words = _without_fillers(name)
    name = " ".join(words)
    prose = not explicit and any(word.lower() in FILLERS for word in words)
    if name.lower() in NO_METRIC or name.lower().endswith((".py", ".cc", ".cpp")):
        return about
    if not name or len(words) > 6 or prose or not _NAME.fullmatch(name):
        extra = len(_WORDS.findall(name))
        return replace(about, loose=about.loose + extra, words=about.words + extra)
    count = counter(name)
    split = about.split
    if count and not split and (first := tokens(name)[0]) in SPLITS:
        split = first  # "Val Epoch 3"
    about = replace(about, name=name, explicit=explicit, count=count, opened=opened, split=split)
    return replace(about, alone=not rest.strip(), named=_named_split(name))


def _last_field(body: str) -> tuple[str, str]:
    """Text cut in two: what stands before the last field of it, and that field."""
    cut = 0
    for cut_at in _CUT.finditer(body):
        cut = cut_at.end()
    rest, name = body[:cut], body[cut:]
    if name.count("(") != name.count(")"):
        edge = name.rfind("(" if name.count("(") > name.count(")") else ")") + 1
        rest, name = rest + name[:edge], name[edge:]
    for mark in ":=：":
        edge = name.rfind(mark) + 1
        rest, name = rest + name[:edge], name[edge:]
    return rest, name


def _without_fillers(name: str) -> list[str]:
    """The words of a field that name something."""
    words = _LEVEL.sub("", name.strip(_EDGE), count=1).strip(_EDGE).split()
    if "with" in words:  # "new best model with accuracy: 0.9"
        words = words[words.index("with") + 1 :]
    while words and words[0].lower() in FILLERS:
        words.pop(0)
    while words and words[-1].lower() in FILLERS:
        words.pop()
    return words


@lru_cache(maxsize=4096)
def tells_a_window(name: str) -> bool:
    """True if a name says over how much something was taken: "over the last 100 episodes"."""
    words = tokens(name)
    return bool(words) and (words[-1] in COUNTERS or not WINDOWS.isdisjoint(words))


def _named_split(name: str) -> str:
    """The split that a name begins with, training included; "" when it does not."""
    first = next(iter(tokens(name)), "")
    if first in ("train", "training"):
        return TRAIN
    return first if first in SPLITS else ""


@lru_cache(maxsize=4096)
def needs_no_mark(name: str) -> bool:
    """True if a bare name is a metric whatever else the line says: "| Loss 0.5 |"."""
    words = tokens(name)
    known = all(word in MEASURED or word in BESIDE_MEASURED or word in SPLITS for word in words)
    return known and not MEASURED.isdisjoint(words)
