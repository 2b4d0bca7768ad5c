"""The names that a tool logs, written as a text table.

A line says which metric some names are, and what else there is to know about them:

    [PPO | GRPO]
    reward/mean: critic/rewards/mean | rewards  # mean of token sums
    policy/entropy (scale=-1; measured=late): actor/entropy_loss [PPO]
    none: actor/flag

`[...]` on its own line names the algorithms that log the lines below it, up to the next one; at the end
of a line it holds for that line alone. `ON_POLICY = PPO | A2C` gives a list of algorithms a name.
`none` is a known name without a general meaning. `scale`, `transform`, `versions` and `always` in
parentheses are fields of the `Alias`, anything else is a label. Each placeholder of a name is a label
too, unless another label takes its value (`player={i}`) or it is dropped (`i=`). What follows `#` is
the note; a line that begins with `#` is a comment. An indented line continues the one above.
"""

from __future__ import annotations

import re

from runvitals.model import Alias

_HOLE = re.compile(r"\{(\w+)\}")
_GROUP = re.compile(r"([A-Z][A-Z0-9_]*) = (.*)")
_LINE = re.compile(
    r"(?P<metric>\S+?)(?: \((?P<fields>.*?)\))?: (?P<names>.*?)"
    r"(?: \[(?P<algorithms>[^]]*)\])?(?: +# (?P<note>.*))?"
)


def aliases(table: str) -> tuple[Alias, ...]:
    """The aliases of a table, in its order.

    >>> [one] = aliases("eval/pass_at_k: eval/{dataset}/pass_at_{k}")
    >>> one.metric, one.labels
    ('eval/pass_at_k', {'dataset': '{dataset}', 'k': '{k}'})
    >>> aliases("none: static/queue  # a setting")[0].note
    'a setting'
    """
    found: list[Alias] = []
    groups: dict[str, tuple[str, ...]] = {}
    section: tuple[str, ...] = ()

    def algorithms(text: str) -> tuple[str, ...]:
        return groups[text] if text in groups else tuple(text.split(" | ")) if text else ()

    for line in re.sub(r"\n +", " ", table.strip()).splitlines():
        if line.startswith("["):
            section = algorithms(line[1:-1])
        elif group := _GROUP.fullmatch(line):
            groups[group[1]] = tuple(group[2].split(" | "))
        elif match := _LINE.fullmatch(line):
            metric, fields, names, own, note = match.groups()
            by = section if own is None else algorithms(own)
            found += (_alias(name, metric, by, fields, note or "") for name in names.split(" | "))
        elif line and not line.startswith("#"):
            raise ValueError(f"not a line of a table of names: {line!r}")
    return tuple(found)


def _alias(
    name: str, metric: str, algorithms: tuple[str, ...], fields: str | None, note: str
) -> Alias:
    if fields is None and "{" not in name:
        return Alias(name, None if metric == "none" else metric, algorithms, note=note)
    known = dict(map(_field, fields.split("; "))) if fields else {}
    scale = float(known.pop("scale", 1.0))
    transform, versions = known.pop("transform", ""), known.pop("versions", "")
    always = known.pop("always", None) is not None
    if metric != "none":
        explained = "".join(known.values())
        holes = (hole for hole in _HOLE.findall(name) if f"{{{hole}}}" not in explained)
        known = {hole: f"{{{hole}}}" for hole in holes} | known
    return Alias(
        name,
        None if metric == "none" else metric,
        algorithms,
        {label: value for label, value in known.items() if value},
        scale,
        transform,
        versions,
        note,
        always,
    )


def _field(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value
