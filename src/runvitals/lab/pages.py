"""Tasks, faults, healthy variants and other names, written as pages of text.

    acrobot (-110): swing two links up
      sets: env="Acrobot-v1", total_steps=400_000

    lr-x100 (P01): learning rate 100 times too high
      expect: VAL001, VAL006; accept: REW003, REW005; doses: 10, 100, 1000  # times the rate
      sets: learning_rate *= dose, anneal_learning_rate = False

    small-network: one small layer
      sets: hidden=(16,), window=20; tasks: cartpole; learns: no

The name comes first, with the target score of a task or the code of a fault in brackets. The fields
are those of `Task`, `Fault` and `Variant`, with `sets` for settings and `hides` for names that are not
logged. Three doses are for a mild, a clear and a gross fault, a single one is for a clear fault, others
are named (`mild 0.5, clear 1`). What a fault sets is its `change`: `x = dose`, `x = int(dose)`,
`x *= dose` or a literal; any other change is a function in `changes`. A line indented by four spaces
continues the one before.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from runvitals.lab.contract import STRENGTHS, Fault, Strength, Task, Variant

_HEAD = re.compile(r"(\S+)(?: \((\S+)\))?: (.*)")
_SET = re.compile(r"(\w+) (\*?=) (.*)")

Change = Callable[[Any, float], dict[str, Any]]


def tasks(score: str, page: str) -> tuple[Task, ...]:
    """The tasks of a page; `score` says what is measured where a task does not say it itself.

    >>> [task] = tasks("mean return", 'maze (0.8): find the way\\n  sets: env="CoinGrid-v0"')
    >>> task.name, task.target, task.settings
    ('maze', 0.8, {'env': 'CoinGrid-v0'})
    """
    return tuple(
        Task(name, title, fields.get("score", score), float(target), _settings(fields))
        for name, target, title, fields in _entries(page)
    )


def faults(page: str, changes: Mapping[str, Change] | None = None) -> tuple[Fault, ...]:
    """The faults of a page; `changes` by the name of the fault.

    >>> [fault] = faults("lr-zero (P02): no learning\\n  expect: POL002; sets: rate = 0.0")
    >>> fault.expect, fault.doses, fault.change(None, 1.0)
    (('POL002',), {'clear': 1.0}, {'rate': 0.0})
    """
    own = dict(changes or {})
    found = []
    for name, code, title, fields in _entries(page):
        settings = fields.pop("sets", None)
        change = own.pop(name, None) if settings is None else _change(settings)
        found.append(Fault(name, code, title, change=change, **_converted(fields)))
    if own:
        raise ValueError(f"no fault {min(own)!r} on the page")
    return tuple(found)


def variants(page: str) -> tuple[Variant, ...]:
    """The healthy variants of a page.

    >>> [variant] = variants("small-network: one small layer\\n  sets: hidden=(16,); learns: no")
    >>> variant.settings, variant.learns
    ({'hidden': (16,)}, False)
    """
    return tuple(
        Variant(name, title, _settings(fields), **_converted(fields))
        for name, _, title, fields in _entries(page)
    )


def dialect(page: str) -> dict[str, str]:
    """Other names for what is logged, from lines of `name = other name; ...`.

    >>> dialect("loss = loss/dpo; kl = preference/kl")
    {'loss': 'loss/dpo', 'kl': 'preference/kl'}
    """
    entries = page.strip().replace("\n", " ").split("; ")
    return dict(entry.split(" = ") for entry in entries)


def _entries(page: str) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Name, what follows it in brackets, title and fields of each entry."""
    for entry in re.split(r"\n+(?=\S)", page.strip()):
        head, *lines = entry.replace("\n    ", " ").split("\n  ")
        match = _HEAD.fullmatch(head)
        if match is None:
            raise ValueError(f"not the first line of an entry: {head!r}")
        parts = (part for line in lines for part in line.partition("  # ")[0].split("; "))
        yield *match.groups(), dict(part.partition(": ")[::2] for part in parts)  # type: ignore[misc]


def _settings(fields: dict[str, str]) -> dict[str, Any]:
    """Settings as Python writes keyword arguments."""
    call = ast.parse(f"settings({fields.pop('sets', '')})", mode="eval").body
    assert isinstance(call, ast.Call)
    return {str(given.arg): ast.literal_eval(given.value) for given in call.keywords}


def _converted(fields: Mapping[str, str]) -> dict[str, Any]:
    """Fields as a fault or a variant takes them."""
    found: dict[str, Any] = {}
    for name, text in fields.items():
        if name in ("expect", "accept", "tasks", "hides"):
            found["hide" if name == "hides" else name] = tuple(text.split(", "))
        elif name in ("late", "learns"):
            found[name] = text != "no"
        elif name == "doses":
            found[name] = _doses(text.split(", "))
        else:
            found[name] = float(text) if name == "resume_at" else text
    return found


def _doses(texts: list[str]) -> dict[Strength, float]:
    if " " not in texts[0]:
        names = STRENGTHS if len(texts) == len(STRENGTHS) else ("clear",)
        return dict(zip(names, map(ast.literal_eval, texts), strict=True))
    named = dict(text.split() for text in texts)
    return {name: ast.literal_eval(named[name]) for name in STRENGTHS if name in named}


def _change(text: str) -> Change:
    steps = [match.groups() for match in map(_SET.fullmatch, text.split(", ")) if match]
    if len(steps) < len(text.split(", ")):
        raise ValueError(f"not a change of settings: {text!r}")

    def change(config: Any, dose: float) -> dict[str, Any]:
        changed = {}
        for name, how, value in steps:
            doses = {"dose": dose, "int(dose)": int(dose)}
            new = doses[value] if value in doses else ast.literal_eval(value)
            changed[name] = getattr(config, name) * new if how == "*=" else new
        return changed

    return change
