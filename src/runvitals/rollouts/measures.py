"""What can be said of a text without understanding it. Every measure is 1 or 0: a fault, or none.

A share of texts with a fault is a number whose noise is known, and one text with it can be shown.
"""

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable

from runvitals.model import Rollout

MIN_CHARACTERS = 24  # shorter texts repeat nothing and say little
MIN_WORDS = 12  # to tell copying and loops from short answers
MAX_CHARACTERS = 6_000  # of a text are looked at: its first and its last half of that
# Of prose, code and mathematics in any language: their shares of odd characters stay far below.
MAX_ODD = 0.3
MAX_OF_ONE = 0.5
MAX_REPEATED = 0.5  # of the word sequences of a text
RANDOM_BYTES = 0.92  # compressed size of text without any structure; prose has 0.4 to 0.6
ANSWER = re.compile(r"\\boxed\s*\{|<answer>|####\s*\S|final answer|answer\s*:|answer is", re.I)
_THINK = re.compile(r"</?think(?:ing)?>", re.I)
_REFUSAL = re.compile(
    r"^\W*(?:i['’]?m sorry|i am sorry|sorry,? but|i can(?:no|['’])t (?:help|assist|answer|provide|do)"
    r"|i cannot|i am unable|i['’]?m unable|as an ai\b|i won['’]t)",
    re.I,
)
_PLAIN = frozenset("\n\t\r .,;:!?'\"()[]{}<>-+*/=_%$#@&^|~`\\–—“”‘’…·×÷−≤≥≠≈√∑∫πθ°")
_TOOL_ERROR = re.compile(r"error|exception|traceback|not found|invalid|failed|timed? ?out", re.I)

Measure = Callable[[Rollout], bool]


def is_empty(rollout: Rollout) -> bool:
    """True if the model wrote nothing at all, and called no tool either."""
    return not rollout.completion.strip() and not rollout.turns


def is_garbage(text: str) -> bool:
    """True if no writer would produce this: one character over and over, or characters at random."""
    text = _middle_cut(text)
    if len(text) < MIN_CHARACTERS:
        return False
    counts = Counter(text)
    solid = sum(n for c, n in counts.items() if not c.isspace())
    if not solid:
        return True
    top = max(n for c, n in counts.items() if not c.isspace())
    odd = sum(n for c, n in counts.items() if not (c.isalnum() or c in _PLAIN or c.isspace()))
    broken = counts.get("\ufffd", 0) + sum(n for c, n in counts.items() if _unprintable(c))
    if top / solid > MAX_OF_ONE or odd / len(text) > MAX_ODD or broken / len(text) > 0.05:
        return True
    return _is_random(text, counts)


def _unprintable(character: str) -> bool:
    return not character.isspace() and unicodedata.category(character) in ("Cc", "Co", "Cn", "Cs")


def _is_random(text: str, counts: Counter[str]) -> bool:
    """Without words of a usual length, or without structure that a compressor finds."""
    letters = sum(n for c, n in counts.items() if c.isalpha())
    spaces = sum(n for c, n in counts.items() if c.isspace())
    ascii_letters = sum(n for c, n in counts.items() if c.isascii() and c.isalpha())
    if ascii_letters > 0.6 * len(text) and letters > 40 * (spaces + 1) and len(text) > 200:
        return True
    data = text.encode("utf-8", "replace")
    return len(data) > 400 and len(zlib.compress(data, 6)) / len(data) > RANDOM_BYTES


def is_loop(text: str) -> bool:
    """True if most of the text says again what it has said before."""
    text = _middle_cut(text)
    words = text.split()
    if len(words) >= 4 * MIN_WORDS:
        grams = [" ".join(words[i : i + 4]) for i in range(len(words) - 3)]
        return 1 - len(set(grams)) / len(grams) > MAX_REPEATED
    if len(text) < 200:
        return False
    grams = [text[i : i + 12] for i in range(len(text) - 11)]
    return 1 - len(set(grams)) / len(grams) > MAX_REPEATED


def is_copy(prompt: str, completion: str) -> bool:
    """True if most of a completion stands in its prompt, word for word."""
    words = completion.split()[:400]
    if len(words) < MIN_WORDS:
        return False
    source = " ".join(prompt.split())
    pieces = [" ".join(words[i : i + 6]) for i in range(0, len(words) - 5, 3)]
    return sum(piece in source for piece in pieces) > 0.6 * len(pieces)


def is_refusal(text: str) -> bool:
    """True if it begins by declining to answer."""
    return _REFUSAL.match(text[:120]) is not None


def has_answer(text: str) -> bool:
    """True if it marks an answer in one of the usual ways."""
    return ANSWER.search(text) is not None


def is_bare_answer(text: str) -> bool:
    """True if an answer is marked and next to nothing was written to get there."""
    found = ANSWER.search(text)
    return found is not None and len(text[: found.start()].split()) < 5


def thinks_without_answer(text: str) -> bool:
    """True if reasoning was opened and never closed, or nothing follows it."""
    tags = list(_THINK.finditer(text))
    if not tags:
        return False
    last = tags[-1]
    return not last[0].startswith("</") or not text[last.end() :].strip()


def mixes_scripts(prompt: str, completion: str) -> bool:
    """True if a good part of it is in a script that its prompt does not have, beside another one.

    Latin letters do not count: names, formulas and code have them everywhere.
    """
    if completion.isascii():
        return False
    scripts = Counter(filter(None, map(_script, completion[:MAX_CHARACTERS])))
    total = scripts.total()
    if total < MIN_CHARACTERS or len(scripts) < 2:
        return False
    asked = Counter(filter(None, map(_script, prompt[:MAX_CHARACTERS])))
    others = [
        script
        for script, n in scripts.items()
        if script != "latin" and n > 0.08 * total and asked[script] < 0.02 * max(1, asked.total())
    ]
    return bool(others)


def _script(character: str) -> str | None:
    """The writing system of a letter; Greek counts as Latin, since formulas use it."""
    code = ord(character)
    if code < 0x0400:
        return "latin" if character.isalpha() else None
    for end, name in _SCRIPTS:
        if code < end:
            return name
    return None


_SCRIPTS = (
    (0x0530, "cyrillic"), (0x0590, "armenian"), (0x0600, "hebrew"), (0x0780, "arabic"),
    (0x0900, None), (0x0E00, "indic"), (0x0F00, "thai"), (0x1100, None), (0x1200, "hangul"),
    (0x1E00, None), (0x2000, "latin"), (0x2E80, None), (0x3040, "han"), (0x3100, "kana"),
    (0xA000, "han"), (0xAC00, None), (0xD7B0, "hangul"), (0xF900, None), (0xFB00, "han"),
)  # fmt: skip


def loops_tools(rollout: Rollout) -> bool:
    """True if the same tool is called with the same arguments three times or more."""
    calls = Counter(call for turn in rollout.turns for call in turn.calls)
    return bool(calls) and max(calls.values()) >= 3


def fails_tools(rollout: Rollout) -> bool:
    """True if most answers of tools are errors."""
    answers = [
        turn.text for turn in rollout.turns if turn.role in ("tool", "function", "observation")
    ]
    return (
        bool(answers) and sum(bool(_TOOL_ERROR.search(a[:400])) for a in answers) > len(answers) / 2
    )


def shingles(text: str) -> frozenset[int]:
    """The word triples of a text as numbers, to compare texts by."""
    words = text.lower().split()[:400]
    if len(words) < 3:
        return frozenset({hash(" ".join(words))})
    return frozenset(hash((words[i], words[i + 1], words[i + 2])) for i in range(len(words) - 2))


def _middle_cut(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    half = MAX_CHARACTERS // 2
    return text[:half] + text[-half:]


# What is asked of every text, by the metric whose share it is.
FAULTS: dict[str, Measure] = {
    "text/garbage_share": lambda one: is_empty(one) or is_garbage(one.completion),
    "text/loop_share": lambda one: is_loop(one.completion),
    "text/copied_share": lambda one: is_copy(one.prompt, one.completion),
    "text/refusal_share": lambda one: is_refusal(one.completion),
    "text/unfinished_reasoning_share": lambda one: thinks_without_answer(one.completion),
    "text/bare_answer_share": lambda one: is_bare_answer(one.completion),
    "text/no_answer_share": lambda one: not has_answer(one.completion),
    "text/mixed_scripts_share": lambda one: mixes_scripts(one.prompt, one.completion),
    "text/tool_loop_share": loops_tools,
    "text/tool_error_share": fails_tools,
}
