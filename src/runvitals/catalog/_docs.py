"""Writes docs/reference/metrics.md from the catalog: `python -m runvitals.catalog._docs`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from runvitals.catalog import FRAMEWORKS, METRICS, SCENARIOS, SYMPTOMS, TERMS
from runvitals.model import Band, Metric

_ARROWS = {"higher": "↑", "lower": "↓", "target": "↔", "neutral": ""}


def render() -> str:
    """The reference page as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    tools = [f for f in FRAMEWORKS.values() if f.aliases]
    names = sum(len(f.aliases) for f in tools)
    yield "# Metrics"
    yield ""
    yield "<!-- Generated from the catalog by `python -m runvitals.catalog._docs`; do not edit. -->"
    yield ""
    yield f"runvitals knows {len(METRICS)} metrics and {names} names for them in {len(tools)} tools."
    yield "`runvitals explain NAME` shows any of them in the terminal, with the names other tools use."
    yield "`eval/` in front of an id is the same metric on the evaluation split."
    yield ""
    yield "↑ higher is better, ↓ lower is better, ↔ a band is healthy, nothing: context only."
    yield from _scenarios()
    yield from _metrics()
    yield from _symptoms()
    yield from _terms()
    yield ""
    yield "## Tools"
    yield ""
    yield "| tool | hint | read from version | names |"
    yield "|---|---|---|---|"
    for tool in tools:
        yield f"| {tool.title} | `{tool.id}` | {_cell(tool.version)} | {len(tool.aliases)} |"


def _scenarios() -> Iterator[str]:
    yield ""
    yield "## What to watch"
    for scenario in SCENARIOS.values():
        yield ""
        yield f"### {scenario.title} (`{scenario.id}`)"
        yield ""
        for group in scenario.groups:
            listed = ", ".join(f"`{metric}`" for metric in group.metrics)
            note = f" {group.note}" if group.note else ""
            yield f"- **{group.title}**: {listed}.{note}"


def _metrics() -> Iterator[str]:
    by_category: dict[str, list[Metric]] = {}
    for metric in METRICS.values():
        by_category.setdefault(metric.category, []).append(metric)
    for category, metrics in sorted(by_category.items()):
        yield ""
        yield f"## {category}"
        yield ""
        yield "| metric | | meaning | unit |"
        yield "|---|---|---|---|"
        for metric in metrics:
            arrow = _ARROWS[metric.direction]
            yield f"| `{metric.id}` | {arrow} | {_cell(metric.meaning)} | {metric.unit} |"
        for metric in metrics:
            if metric.watch_for or metric.healthy:
                yield from _entry(metric)


def _entry(metric: Metric) -> Iterator[str]:
    yield ""
    yield f"### {metric.title or metric.id}: `{metric.id}`"
    if metric.watch_for:
        yield ""
        yield metric.watch_for
    if metric.healthy:
        yield ""
        for band in metric.healthy:
            yield f"- healthy {_range(band)}: {band.why} ({_where(band)})"
    if metric.not_the_same_as:
        yield ""
        yield f"Not the same as {', '.join(f'`{other}`' for other in metric.not_the_same_as)}."


def _range(band: Band) -> str:
    if band.low is None:
        return f"up to {band.high:g}"
    return f"from {band.low:g}" if band.high is None else f"{band.low:g} to {band.high:g}"


def _where(band: Band) -> str:
    setting = f"set by `{band.config_key}`" if band.config_key else ""
    parts = (band.context, ", ".join(band.algorithms), setting, band.source)
    return "; ".join(part for part in parts if part)


def _symptoms() -> Iterator[str]:
    yield ""
    yield "## Symptoms"
    yield ""
    yield "| what you see | look first at | then at | often it is | try |"
    yield "|---|---|---|---|---|"
    for symptom in SYMPTOMS:
        first = ", ".join(f"`{metric}`" for metric in symptom.check_first)
        then = ", ".join(f"`{metric}`" for metric in symptom.then_check)
        yield f"| {symptom.sign} | {first} | {then} | {symptom.likely} | {symptom.advice} |"


def _terms() -> Iterator[str]:
    yield ""
    yield "## Glossary"
    yield ""
    for term in TERMS.values():
        yield f"- **{term.word}**: {term.definition}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference/metrics.md")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(render(), encoding="utf-8")
    print(f"wrote {target}")
