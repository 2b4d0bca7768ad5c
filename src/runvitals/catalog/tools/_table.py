"""Aliases written as a text table, for the many that are a name and a metric and no more."""

from __future__ import annotations

import re

from runvitals.model import Alias

_HOLE = re.compile(r"\{(\w+)\}")


def aliases(table: str, *algorithms: str) -> tuple[Alias, ...]:
    """One alias a name. A line is `metric: name | name`, or `none (why): name | name`.

    What a placeholder stands for becomes a label; lines that begin with `|` go on with the last.

    >>> [one] = aliases("eval/pass_at_k: eval/{dataset}/pass_at_{k}")
    >>> one.metric, one.labels
    ('eval/pass_at_k', {'dataset': '{dataset}', 'k': '{k}'})
    >>> aliases("none (a setting): static/queue")[0].note
    'a setting'
    """
    found = []
    for line in re.sub(r"\n\s*\|", " |", table.strip()).splitlines():
        meant, _, names = line.strip().partition(": ")
        metric, _, why = meant.partition(" (")
        for name in map(str.strip, names.split(" | ")):
            labels = {hole: f"{{{hole}}}" for hole in _HOLE.findall(name)}
            known = None if metric == "none" else metric
            held = labels if known is not None else {}
            found.append(Alias(name, known, algorithms, held, note=why.rstrip(")")))
    return tuple(found)
