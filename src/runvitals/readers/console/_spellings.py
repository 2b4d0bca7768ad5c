"""Counts as some loops and frameworks spell them, brought to the words that the grammar reads.

[2,  4000] loss: 1.3           Epoch 2 | batch 4000 | loss: 1.3
Cost after iteration 300: 0.5  iteration 300 | Cost: 0.5
"""

from __future__ import annotations

import re

_UNIT = r"(?:epoch|iteration|iter|episode|step|update|generation|round|batch)"
_INVERTED = re.compile(
    r"(?P<what>[^\W\d_][\w ()/-]{0,40}?) (?:at|after|for|in|of|on) (?:the )?"
    rf"(?:(?P<unit>{_UNIT})s?[ #:]{{1,2}}(?P<count>\d{{1,12}})(?: ?/ ?\d{{1,12}})?"
    rf"|(?P<first>\d{{1,12}}) (?P<of>{_UNIT})s?)"
    r" ?(?::|=|is|was|->) ?(?=[-+.\[(]?\d|nan\b|inf\b|[(\[]?np\.|tensor)",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    rf"(?:results?|summary|stats|statistics|metrics) (?:for|of|after|at) (?={_UNIT}s?\b)",
    re.IGNORECASE,
)
_WORDS_BETWEEN = re.compile(r" (?:at|after|for|in|of|on) ", re.IGNORECASE)
# At the beginning of a line: PyTorch's tutorials, timm, bare fractions.
_BEGINNINGS = (
    (re.compile(r"\[(\d{1,9}), {1,8}(\d{1,12})\]:?(?=\s)"), r"Epoch \1 | batch \2 |"),
    (
        re.compile(r"\[(\d{1,9})/(\d{1,9})\] ?\[(\d{1,12})/(\d{1,12})\]"),
        r"Epoch \1/\2 | batch \3/\4 |",
    ),
    (re.compile(r"Train: (\d{1,9}) \[(?= {0,8}\d{1,12}/)"), r"Epoch \1 ["),
    (re.compile(r"[@#](\d{1,12})[:,]?[ \t]{1,4}(?=[A-Za-z])"), r"step \1 | "),
    (re.compile(r"(\d{1,12})/(\d{1,12})[:,]?[ \t]{1,4}(?=[A-Za-z])"), r"step \1/\2 | "),
)
_DOTTED = re.compile(r"\b(ep|epoch|episode|iter|step)\. ?(?=\d{1,12}(?![\d.]))", re.IGNORECASE)
_PHASE = re.compile(r"\b(Epoch|Iter)\((train|val|test)\)")  # MMEngine
_LOGURU = re.compile(r"\| [A-Z]{4,8} {1,5}\| ")
_PLACE = re.compile(r"(?<=\|) ?[\w.<>]{1,80}:[\w<>]{1,80}:\d{1,6} - ")  # Loguru
_WRITER = re.compile(r"(?<=\]) \[(\d{1,12})\] (?=[A-Za-z_][\w/.-]{0,80}=)")  # CLU
_ESPNET = re.compile(
    r"\(\w{1,40}:\d{1,6}\) [A-Z]{4,8}: (\d{1,9})epoch:train:\d{1,9}-(\d{1,9})batch:"
)
_NUMBER = r"[-+]?(?:\d{1,20}\.?\d{0,20}(?:[eE][-+]?\d{1,3})?|nan)"
_LIST = re.compile(rf"(?<=[:=])\s?\[ ?({_NUMBER}(?:, ?{_NUMBER}){{1,255}}) ?\]")


def plain(text: str) -> str:
    """The line in the grammar's own words; mostly the line as it is.

    >>> plain("[2,  4000] loss: 1.3"), plain("Cost after iteration 300: 0.5")
    ('Epoch 2 | batch 4000 | loss: 1.3', 'iteration 300 | Cost: 0.5')
    >>> plain("Epoch(val) [1][100/100]  acc: 0.9")
    '[val] Epoch [1][100/100]  acc: 0.9'
    >>> plain("accuracy rewards: [0.0, 1.0, 1.0, 0.0]")
    'accuracy rewards: 0.5'
    """
    if found := _ANNOUNCED.match(text):
        text = text[found.end() :]
    begin = text[:1] or " "
    if begin in "[@#" or begin.isdigit() or text.startswith("Train: "):
        for pattern, words in _BEGINNINGS:
            if found := pattern.match(text):
                text = found.expand(words) + text[found.end() :]
                break
    elif _WORDS_BETWEEN.search(text, 0, 60) and (found := _INVERTED.match(text)):
        unit, count = found["unit"] or found["of"], found["count"] or found["first"]
        return f"{unit} {count} | {found['what']}: {text[found.end() :]}"
    if "[" in text and ", " in text:
        text = _LIST.sub(_mean, text)
    if "p." in text or "h." in text or "e." in text or "r." in text:
        text = _DOTTED.sub(r"\1 ", text)
    if "(" in text:
        text = _PHASE.sub(_phase, text)
        if "epoch:train:" in text:
            text = _ESPNET.sub(r"Epoch \1 | batch \2 |", text)
    if "| " in text and _LOGURU.search(text, 0, 60):
        text = _PLACE.sub(" ", text, count=1)
    if "] [" in text:
        text = _WRITER.sub(r" step \1 | ", text, count=1)
    return text


def _mean(found: re.Match[str]) -> str:
    """What a list of numbers under one name is on average: rewards of the samples of a batch."""
    numbers = [float(one) for one in found[1].split(",")]
    return f" {sum(numbers) / len(numbers):.6g}"


def _phase(found: re.Match[str]) -> str:
    return found[1] if found[2] == "train" else f"[{found[2]}] {found[1]}"
