"""The settings that a command line names: `--lr 0.5`, `--lr=0.5`, `optim.lr=0.5`."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?")
_NAMED = re.compile(r"(--|\+{0,2})([A-Za-z][\w.-]*)=(.+)")
_OPTION = re.compile(r"--([A-Za-z][\w.-]*)")


def numbers_named(words: Sequence[str]) -> dict[str, float]:
    """Options of the script that are numbers, those of what launches it left out.

    >>> numbers_named(["torchrun", "--nproc-per-node", "2", "train.py", "--lr", "0.5", "eps=1e-8"])
    {'lr': 0.5, 'eps': 1e-08}
    """
    own = list(words[_script(words) + 1 :])
    found: dict[str, float] = {}
    for word, following in zip(own, [*own, ""][1:], strict=True):
        if named := _NAMED.fullmatch(word):
            name, value = named[2], named[3]
        elif option := _OPTION.fullmatch(word):
            name, value = option[1], following
        else:
            continue
        if _NUMBER.fullmatch(value):
            number = float(value)
            key = name.replace("-", "_")
            found[key] = int(number) if value.lstrip("+-").isdigit() else number
    return found


def _script(words: Sequence[str]) -> int:
    """Where the program stands whose options they are: a script, a module, else the first word."""
    before = ["", *words]
    scripts = [
        i
        for i, word in enumerate(words)
        if word.endswith(".py") and not before[i].startswith("--") and "=" not in word
    ]
    modules = [i for i, last in enumerate(before[:-1]) if last == "-m"]
    return next(iter([*scripts, *modules]), 0)
