"""`runvitals metrics`: the catalog as a list."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runvitals.cli import completion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runvitals.model import Metric


class Format(StrEnum):
    """How to print."""

    text = "text"
    json = "json"


def metrics(
    category: Annotated[
        str | None,
        typer.Option(
            "--category",
            "-c",
            help="Only this category, e.g. policy.",
            autocompletion=completion.categories,
        ),
    ] = None,
    framework: Annotated[
        str | None,
        typer.Option(
            "--framework",
            "-f",
            help="Only what this tool logs, with its names.",
            autocompletion=completion.frameworks,
        ),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario",
            "-s",
            help="Only the list of a scenario, e.g. ppo-grpo.",
            autocompletion=completion.scenarios,
        ),
    ] = None,
    search: Annotated[
        str | None, typer.Option("--search", help="Only metrics whose id or text has these words.")
    ] = None,
    format: Annotated[
        Format, typer.Option(help="text for people, json for machines.")
    ] = Format.text,
) -> None:
    """List the metrics that runvitals knows, or those of a category, tool or scenario."""
    entries = _entries(category, framework, scenario, search)
    if format is Format.json:
        import orjson

        print(orjson.dumps(entries, option=orjson.OPT_INDENT_2).decode())
        return
    _show(entries)


def _entries(
    category: str | None, framework: str | None, scenario: str | None, search: str | None
) -> list[dict[str, Any]]:
    from runvitals import catalog

    chosen: Iterable[Metric] = catalog.METRICS.values()
    groups: dict[str, str] = {}
    if scenario is not None:
        chosen, groups = _of_scenario(scenario)
    if category is not None:
        known = sorted({m.category for m in catalog.METRICS.values()})
        _check(category, known, "category")
        chosen = [m for m in chosen if m.category == category]
    names: dict[str, list[str]] = {}
    if framework is not None:
        tool = catalog.find_framework(framework)
        if tool is None:
            _check(framework, sorted(catalog.FRAMEWORKS), "tool")
        for alias in catalog.FRAMEWORKS[tool or framework].aliases:
            if alias.metric:
                names.setdefault(alias.metric, []).append(alias.name)
        listed = {m.id for m in chosen}
        everything = (catalog.metric(i) for i in names)
        chosen = [
            m
            for m in everything
            if m and (m.id in listed or (scenario is None and category in (None, m.category)))
        ]
    if search is not None:
        words = search.lower().split()
        chosen = [
            m
            for m in chosen
            if all(w in f"{m.id} {m.title} {m.meaning} {m.watch_for}".lower() for w in words)
        ]
    return [
        {
            "metric": m.id,
            "title": m.title,
            "meaning": m.meaning,
            "unit": m.unit,
            "direction": m.direction,
            "category": m.category,
            "section": groups.get(m.id, m.category),
            "names": names.get(m.id, []),
        }
        for m in chosen
    ]


def _of_scenario(scenario: str) -> tuple[list[Metric], dict[str, str]]:
    from runvitals import catalog

    _check(scenario, sorted(catalog.SCENARIOS), "scenario")
    groups: dict[str, str] = {}
    for group in catalog.SCENARIOS[scenario].groups:
        for metric_id in group.metrics:
            groups.setdefault(metric_id, group.title)
    found = [catalog.metric(metric_id) for metric_id in groups]
    return [m for m in found if m is not None], groups


def _check(value: str, known: list[str], kind: str) -> None:
    from runvitals.model import ConfigError

    if value not in known:
        raise ConfigError(f"no {kind} called {value!r}", hint=f"known are {', '.join(known)}")


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
            table.add_column(style="dim", overflow="fold")
        if table is not None:
            table.add_row(
                entry["metric"],
                _ARROWS[entry["direction"]],
                Text(entry["meaning"]),  # not markup: some have brackets
                Text(", ".join(entry["names"]) or entry["unit"]),
            )
    if table is not None:
        console.print(Padding(table, (0, 0, 1, 2)))
    console.print(
        Text(f"{len(entries)} metrics. ↑ higher is better, ↓ lower, ↔ a band. ", style="dim")
        + Text("runvitals explain NAME says more.", style="dim")
    )
