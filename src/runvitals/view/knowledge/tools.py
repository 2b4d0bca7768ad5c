"""What a tool calls things, and what other tools call the same, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runvitals.model import Alias, Framework


def tool_named(text: str) -> Framework | None:
    """The tool with exactly this name, in any case."""
    from runvitals import catalog

    found = catalog.find_framework(text)
    if found is None:
        return None
    tool = catalog.FRAMEWORKS[found]
    names = (tool.id, tool.title, *tool.names)
    return tool if text.casefold() in [name.casefold() for name in names] else None


def tool_answer(tool: Framework) -> dict[str, Any]:
    """How a tool names what most tools log, and where its numbers differ from those of others."""
    from runvitals import catalog

    rows = [
        {"meaning": meaning, "names": [_named(alias) for alias in _of(tool, ids)]}
        for meaning, ids in catalog.COMPARED.items()
    ]
    differs = [
        {**_named(alias), "how": _difference(alias)}
        for alias in _aliases(tool)
        if _difference(alias)
    ]
    return {
        "kind": "tool",
        "tool": tool.id,
        "title": tool.title,
        "version": tool.version,
        "count": len(_aliases(tool)),
        "inherits": list(tool.inherits),
        "names": [row for row in rows if row["names"]],
        "not_logged": [str(row["meaning"]) for row in rows if not row["names"]],
        "differs": differs,
    }


def framework_table(metrics: tuple[str, ...]) -> list[dict[str, Any]]:
    """Which tool logs any of these metrics under which name, metric by metric."""
    from runvitals import catalog

    return [
        {"metric": id, "framework": tool.id, "title": tool.title, **_named(alias)}
        for id in metrics
        for tool in catalog.FRAMEWORKS.values()
        for alias in tool.aliases
        if alias.metric == id
    ]


def metrics_meant(text: str) -> tuple[str, ...]:
    """The metrics that a text may mean: those of a row, the metric of a name, or all candidates."""
    from runvitals import catalog
    from runvitals.view.knowledge.look_up import look_up

    if found := catalog.compared_metrics(text):
        return found
    answer = look_up(text, None, None)
    claims = [str(one["metric"]) for one in answer.get("candidates", ()) if one["metric"]]
    return (answer["metric"],) if answer["kind"] == "metric" else tuple(dict.fromkeys(claims))


def _aliases(tool: Framework) -> tuple[Alias, ...]:
    from runvitals import catalog

    inherited = [a for id in tool.inherits for a in catalog.FRAMEWORKS[id].aliases]
    return (*tool.aliases, *inherited)


def _of(tool: Framework, ids: tuple[str, ...]) -> list[Alias]:
    """Its names for these metrics, each once."""
    found = {alias.name: alias for alias in reversed(_aliases(tool)) if alias.metric in ids}
    return list(reversed(found.values()))


def _named(alias: Alias) -> dict[str, Any]:
    return {
        "name": alias.name,
        "metric": alias.metric,
        "algorithms": list(alias.algorithms),
        "note": alias.note,
    }


def _difference(alias: Alias) -> str:
    if alias.transform:
        return f"canonical value = {alias.transform}"
    if alias.scale == -1.0:
        return "sign reversed"
    return "" if alias.scale == 1.0 else f"canonical value = {alias.scale:g} * logged value"
