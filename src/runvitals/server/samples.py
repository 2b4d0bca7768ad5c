"""A page of logged samples: reward hacking is found by reading them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from runvitals.model import Sample
from runvitals.server.plain import number, plain
from runvitals.server.schemas import SampleRow, Samples

MOST_STEPS = 5_000
_FIRST = ("prompt", "completion", "response", "answer", "reward", "score")


def page_of(
    samples: list[Sample],
    *,
    sort: str | None,
    limit: int,
    offset: int,
    step: int | None,
    search: str | None,
) -> Samples:
    """Samples of one step or all, with a text in them, sorted by a field (`-reward`: highest first)."""
    fields = dict.fromkeys(name for sample in samples for name in sample.fields)
    steps = sorted({sample.step for sample in samples})
    chosen = [(i, s) for i, s in enumerate(samples) if step is None or s.step == step]
    if search:
        wanted = search.casefold()
        chosen = [(i, s) for i, s in chosen if _mentions(s.fields, wanted)]
    if sort:
        name = sort.removeprefix("-")
        with_it = [(i, s) for i, s in chosen if name in ("step", "time") or name in s.fields]
        without = [(i, s) for i, s in chosen if not (name in ("step", "time") or name in s.fields)]
        with_it.sort(key=lambda one: _place(one[1], name), reverse=sort.startswith("-"))
        chosen = with_it + without
    return Samples(
        total=len(chosen),
        offset=offset,
        fields=sorted(fields, key=lambda f: _FIRST.index(f) if f in _FIRST else len(_FIRST)),
        steps=steps[-MOST_STEPS:],
        samples=[
            SampleRow(index=i, step=s.step, time=number(s.time), fields=plain(s.fields))
            for i, s in chosen[offset : offset + limit]
        ],
    )


def _mentions(fields: Mapping[str, object], wanted: str) -> bool:
    return any(wanted in str(value).casefold() for value in fields.values())


def _place(sample: Sample, name: str) -> tuple[int, float, str]:
    """Numbers before texts; what is no number at all before both."""
    value: Any = sample.fields.get(name)
    if name not in sample.fields:
        value = sample.step if name == "step" else sample.time
    if isinstance(value, int | float):
        return (0, -math.inf, "") if value != value else (1, float(min(value, 1e308)), "")
    return 2, 0.0, str(value)
