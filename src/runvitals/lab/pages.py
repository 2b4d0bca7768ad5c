"""Faults and healthy variants written as pages of text.

    lr-x100 (P01): learning rate 100 times too high
      expect: VAL001, VAL006; accept: REW003, REW005
      doses: 10, 100, 1000  # times the rate
      sets: learning_rate *= dose, anneal_learning_rate = False

The fields are those of `Fault`. Three doses are for a mild, a clear and a gross fault, a single one is
for a clear fault, others are named (`mild 0.5, clear 1`). `sets` is the `change` of settings:
`x = dose`, `x = int(dose)`, `x *= dose` or `x = None`; any other change is a function in `changes`.

    small-network: one small layer
      sets: hidden=(16,), window=20; tasks: cartpole; learns: no

The fields of a variant are those of `Variant`, with `sets` for its settings and `hides` for the names
that are not logged.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from runvitals.lab.contract import STRENGTHS, Fault, Strength, Variant

_HEAD = re.compile(r"(\S+) \((\w+)\): (.*)")
_SET = re.compile(r"(\w+) (\*?=) (.*)")
_WORDS = {"None": None, "True": True, "False": False}

Change = Callable[[Any, float], dict[str, Any]]


def faults(page: str, changes: Mapping[str, Change] | None = None) -> tuple[Fault, ...]:
    """The faults of a page; `changes` by the name of the fault.

    >>> [fault] = faults("lr-zero (P02): no learning\\n  expect: POL002\\n  sets: rate = 0.0")
    >>> fault.expect, fault.doses, fault.change(None, 1.0)
    (('POL002',), {'clear': 1.0}, {'rate': 0.0})
    """
    own = dict(changes or {})
    found = tuple(_fault(entry, own) for entry in page.strip().split("\n\n"))
    if own:
        raise ValueError(f"no fault {min(own)!r} on the page")
    return found


def _fault(entry: str, changes: dict[str, Change]) -> Fault:
    head, *lines = entry.replace("\n    ", " ").split("\n  ")
    match = _HEAD.fullmatch(head)
    if match is None:
        raise ValueError(f"not the first line of a fault: {head!r}")
    name, code, title = match.groups()
    parts = (part for line in lines for part in line.partition("  # ")[0].split("; "))
    known: dict[str, Any] = dict(part.partition(": ")[::2] for part in parts)
    settings = known.pop("sets", None)
    given: dict[str, Any] = {"change": changes.pop(name, None)}
    if settings is not None:
        given["change"] = _change(settings)
    for field in ("expect", "accept", "tasks"):
        given[field] = tuple(known.pop(field, "").split(", ")) if field in known else ()
    if "doses" in known:
        given["doses"] = _doses(known.pop("doses"))
    if "late" in known:
        given["late"] = known.pop("late") != "no"
    if "resume_at" in known:
        given["resume_at"] = float(known.pop("resume_at"))
    return Fault(name, code, title, **given, **known)


def _doses(text: str) -> dict[Strength, float]:
    values = text.split(", ")
    if " " in text and " " in values[0]:
        return {_strength(value.split()[0]): _number(value.split()[1]) for value in values}
    names = STRENGTHS if len(values) == len(STRENGTHS) else ("clear",)
    return dict(zip(names, map(_number, values), strict=True))


def _strength(name: str) -> Strength:
    return next(strength for strength in STRENGTHS if strength == name)


def _number(text: str) -> float:
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def _change(text: str) -> Change:
    steps = []
    for step in text.split(", "):
        match = _SET.fullmatch(step)
        if match is None:
            raise ValueError(f"not a change of a setting: {step!r}")
        steps.append(match.groups())

    def change(config: Any, dose: float) -> dict[str, Any]:
        return {name: _value(config, name, how, value, dose) for name, how, value in steps}

    return change


def _value(config: Any, name: str, how: str, value: str, dose: float) -> Any:
    if value == "int(dose)":
        return int(dose)
    new = dose if value == "dose" else _WORDS.get(value, value)
    if isinstance(new, str) and re.fullmatch(r"-?[\d.]+(?:e-?\d+)?", new):
        new = _number(new)
    return getattr(config, name) * new if how == "*=" else new


def variants(page: str) -> tuple[Variant, ...]:
    """The variants of a page, which needs no blank lines.

    >>> [variant] = variants("small-network: one small layer\\n  sets: hidden=(16,); learns: no")
    >>> variant.settings, variant.learns
    ({'hidden': (16,)}, False)
    """
    return tuple(
        map(_variant, page.strip().replace("\n    ", " ").replace("\n  ", "\0").split("\n"))
    )


def _variant(entry: str) -> Variant:
    head, _, line = entry.partition("\0")
    name, _, title = head.partition(": ")
    known = dict(part.split(": ", 1) for part in line.split("; ")) if line else {}
    resume_at = known.pop("resume_at", None)
    variant = Variant(
        name,
        title,
        settings=_settings(known.pop("sets", "")),
        hide=tuple(known.pop("hides").split(", ")) if "hides" in known else (),
        resume_at=None if resume_at is None else float(resume_at),
        learns=known.pop("learns", "yes") != "no",
        tasks=tuple(known.pop("tasks").split(", ")) if "tasks" in known else (),
    )
    if known:
        raise ValueError(f"variant {name} has no field {min(known)!r}")
    return variant


def _settings(text: str) -> dict[str, Any]:
    """Settings as Python writes keyword arguments."""
    call = ast.parse(f"settings({text})", mode="eval").body
    assert isinstance(call, ast.Call)
    return {str(given.arg): ast.literal_eval(given.value) for given in call.keywords}
