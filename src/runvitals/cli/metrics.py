"""`runvitals metrics`: the catalog as a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runvitals.cli.options import Format, described
from runvitals.cli.output import print_json

if TYPE_CHECKING:
    from runvitals.model import Metric

    _Listed = tuple[str, Metric, tuple[str, ...]]  # section, metric, names that a document gives it


@described("""
-c --category (complete=categories): Only this category, e.g. policy.
-f --framework (complete=frameworks): Only what this tool logs, with its names.
-s --scenario (complete=scenarios): Only the list of a scenario, e.g. ppo-grpo, group by group.
--search: Only metrics whose id or description contains these words.
""")
def metrics(
    category: str | None = None,
    framework: str | None = None,
    scenario: str | None = None,
    search: str | None = None,
    format: Format = Format.text,
) -> None:
    """List the metrics that runvitals knows, or those of a category, tool or scenario."""
    entries = _entries(category, framework, scenario, search)
    if format is Format.json:
        print_json(entries)
        return
    _show(entries)


def _entries(
    category: str | None, framework: str | None, scenario: str | None, search: str | None
) -> list[dict[str, Any]]:
    from runvitals import catalog
    from runvitals.render.judged import fields

    if scenario is not None:
        chosen = _of_scenario(scenario)
    else:
        chosen = [(m.category, m, ()) for m in catalog.METRICS.values()]
    if framework is not None:
        names = _names_of_tool(framework)
        if scenario is None:
            found = ((catalog.metric(i), tuple(logged)) for i, logged in names.items())
            chosen = [(m.category, m, logged) for m, logged in found if m]
        else:
            chosen = [(part, m, tuple(names[m.id])) for part, m, _ in chosen if m.id in names]
    if category is not None:
        _check(category, sorted({m.category for m in catalog.METRICS.values()}), "category")
        chosen = [one for one in chosen if one[1].category == category]
    if search is not None:
        words = search.lower().split()
        chosen = [one for one in chosen if all(word in _text_of(one[1]) for word in words)]
    return [
        {
            "metric": m.id,
            **fields(m, "title meaning unit direction category"),
            "section": section,
            "names": list(logged),
        }
        for section, m, logged in chosen
    ]


def _of_scenario(scenario: str) -> list[_Listed]:
    """Every group of a list in full: a metric that stands in two groups is listed twice."""
    from runvitals import catalog

    found = catalog.find_scenario(scenario)
    if found is None:
        _check(scenario, [*sorted(catalog.SCENARIOS), *sorted(catalog.CHAPTERS)], "scenario")
        raise AssertionError("each id of a list is found")
    return [
        (group.title, metric, one.names)
        for group in found.groups
        for one in catalog.listed(found, group)
        if (metric := catalog.metric(one.metric)) is not None
    ]


def _names_of_tool(framework: str) -> dict[str, list[str]]:
    """What a tool logs: its names by metric."""
    from runvitals import catalog

    tool = catalog.find_framework(framework)
    if tool is None:
        _check(framework, sorted(catalog.FRAMEWORKS), "tool")
    names: dict[str, list[str]] = {}
    for alias in catalog.FRAMEWORKS[tool or framework].aliases:
        if alias.metric:
            names.setdefault(alias.metric, []).append(alias.name)
    return names


def _text_of(metric: Metric) -> str:
    return f"{metric.id} {metric.title} {metric.meaning} {metric.watch_for}".lower()


def _check(value: str, known: list[str], kind: str) -> None:
    from runvitals.model import ConfigError

    if value not in known:
        raise ConfigError(f"no {kind} called {value!r}", hint=f"choose one of {', '.join(known)}")


_ARROWS = {"higher": "↑", "lower": "↓", "target": "↔", "neutral": " "}


def _show(entries: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    section = None
    table = None
    for entry in entries:
        if entry["section"] != section:
            if table is not None:
                console.print(Padding(table, (0, 0, 1, 2)))
            section = entry["section"]
            console.print(Text(section, style="bold"))
            table = Table.grid(padding=(0, 2))
            table.add_column(style="cyan", overflow="fold")
            table.add_column()
            table.add_column(overflow="fold")
            table.add_column(style="dim")
            table.add_column(style="dim", overflow="fold")
        if table is not None:
            table.add_row(
                entry["metric"],
                _ARROWS[entry["direction"]],
                Text(entry["meaning"]),  # not markup: some have brackets
                Text(entry["unit"]),
                Text(", ".join(entry["names"])),
            )
    if table is not None:
        console.print(Padding(table, (0, 0, 1, 2)))
    count = len({entry["metric"] for entry in entries})
    console.print(
        Text(f"{count} metrics. ↑ higher is better, ↓ lower, ↔ a band. ", style="dim")
        + Text("More: runvitals explain NAME.", style="dim")
    )
