"""The names that each tool logs, as pages of text tables, one page for tools of a kind.

A tool begins with a line that says what is known about it (fields of `Framework`); each line below it
says which metric some names are, and what else there is to know about them:

    tool verl (kind=llm; version=0.9.1 wheel; names=volcengine-verl): verl
    [PPO | GRPO]
    reward/mean: critic/rewards/mean | rewards  # mean of token sums
    reward/{max,min}: critic/rewards/{max,min}
    policy/entropy (scale=-1; measured=late): actor/entropy_loss [PPO]
    none: actor/flag

`[...]` on its own line names the algorithms that log the lines below it, up to the next one; at the end
of a line it holds for that line alone. `ON_POLICY = PPO | A2C` gives a list of algorithms a name.
`{max,min}` stands for one line with `max` and one with `min`. `none` is a known name without a general
meaning. In parentheses, `scale`, `transform`, `versions` and `always` are fields of the `Alias` and all
else is a label. Each placeholder of a name is a label too, unless another label takes its value
(`player={i}`) or it is dropped (`i=`). What follows `#` is the note; a line that begins with `#` is a
comment. An indented line continues the one above. Entries without a note may share a line: `; ` stands
between them.
"""

import pkgutil
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module

from runvitals.model import Alias, Framework

__all__ = ["aliases", "frameworks"]

_HOLE = re.compile(r"\{(\w+)\}")
_CHOICE = re.compile(r"\{([^{}]*,[^{}]*)\}")
_GROUP = re.compile(r"([A-Z][A-Z0-9_]*) = (.*)")
_TOOL = re.compile(r"(\S+) \((.*)\): (.*)")
_NEXT = re.compile(r"; (?=[\w/{},]+(?: \([^)]*\))?: )")  # where another entry begins on a line
_LINE = re.compile(
    r"(?P<metric>\S+?)(?: \((?P<fields>.*?)\))?: (?P<names>.*?)"
    r"(?: \[(?P<algorithms>[^]]*)\])?(?: +# (?P<note>.*))?"
)


@cache
def frameworks() -> dict[str, Framework]:
    """All known tools by id, in alphabetical order."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        page: str = import_module(f"{__name__}.{module.name}").TOOLS
        for entry in page.removeprefix("\ntool ").split("\n\ntool "):
            framework = _framework(_unwrapped(entry))
            found[framework.id] = framework
    return dict(sorted(found.items()))


def aliases(table: str) -> tuple[Alias, ...]:
    """The aliases of a table, in its order.

    >>> [one] = aliases("eval/pass_at_k: eval/{dataset}/pass_at_{k}")
    >>> one.metric, one.labels
    ('eval/pass_at_k', {'dataset': '{dataset}', 'k': '{k}'})
    >>> [one.name for one in aliases("value/{max,min}: v/{max,min}  # of a batch")]
    ['v/max', 'v/min']
    """
    found: list[Alias] = []
    groups: dict[str, tuple[str, ...]] = {}
    section: tuple[str, ...] = ()

    def algorithms(text: str) -> tuple[str, ...]:
        return groups[text] if text in groups else tuple(text.split(" | ")) if text else ()

    for line in _unwrapped(table.strip()).splitlines():
        if line.startswith("["):
            section = algorithms(line[1:-1])
        elif group := _GROUP.fullmatch(line):
            groups[group[1]] = tuple(group[2].split(" | "))
        elif line and not line.startswith("#"):
            for entry in [line] if " # " in line else _NEXT.split(line):
                match = _LINE.fullmatch(entry)
                if match is None:
                    raise ValueError(f"not a line of a table of names: {line!r}")
                metric, fields, names, own, note = match.groups("")
                by = section if match["algorithms"] is None else algorithms(own)
                for one, other in _choices(metric, names):
                    found += (_alias(name, one, by, fields, note) for name in other.split(" | "))
    return tuple(found)


def _framework(entry: str) -> Framework:
    head, _, table = entry.partition("\n")
    match = _TOOL.fullmatch(head)
    if match is None:
        raise ValueError(f"not the first line of a tool: {head!r}")
    id, fields, title = match.groups()
    known = dict(map(_field, fields.split("; ")))
    return Framework(
        id,
        title,
        known["version"],
        aliases(table),
        kind=known["kind"],  # type: ignore[arg-type]  # a test holds every kind
        **{name: tuple(known[name].split(" | ")) for name in known.keys() - {"version", "kind"}},
    )


def _unwrapped(text: str) -> str:
    return re.sub(r"\n +", " ", text)


def _choices(metric: str, names: str) -> Iterable[tuple[str, str]]:
    """A metric and its names, once for each of the choices in braces."""
    if _CHOICE.search(names) is None:
        return [(metric, names)]
    count = _CHOICE.findall(names)[0].count(",") + 1
    return [(_chosen(metric, i), _chosen(names, i)) for i in range(count)]


def _chosen(text: str, position: int) -> str:
    return _CHOICE.sub(lambda found: found[1].split(",")[position], text)


def _alias(name: str, metric: str, algorithms: tuple[str, ...], fields: str, note: str) -> Alias:
    if not fields and "{" not in name:
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
