"""Writes reference pages from the catalog: `python -m tests.catalog.reference_pages`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from runvitals.catalog import (
    CHAPTERS,
    COMPARED,
    FRAMEWORKS,
    METRICS,
    SCENARIOS,
    SYMPTOMS_BY_SUBJECT,
    TERMS,
    listed,
)
from runvitals.model import Band, Metric, Scenario

_ARROWS = {"higher": "↑", "lower": "↓", "target": "↔", "neutral": ""}
_MADE = (
    "<!-- Generated from the catalog by `python -m tests.catalog.reference_pages`; do not edit. -->"
)


def render() -> dict[str, str]:
    """The reference pages as Markdown, by file name."""
    pages = {
        "metrics.md": _metric_page(),
        "watch-lists.md": _list_page(),
        "symptoms.md": _symptom_page(),
        "glossary.md": _glossary_page(),
        "frameworks.md": _framework_page(),
    }
    return {name: "\n".join(lines) + "\n" for name, lines in pages.items()}


def _head(title: str) -> Iterator[str]:
    yield f"# {title}"
    yield ""
    yield _MADE
    yield ""


def _metric_page() -> Iterator[str]:
    tools = [f for f in FRAMEWORKS.values() if f.aliases]
    names = sum(len(f.aliases) for f in tools)
    yield from _head("Metrics")
    yield f"runvitals knows {len(METRICS)} metrics and {names} names for them in {len(tools)} tools."
    yield "`runvitals explain NAME` shows any of them in the terminal, with the names other tools use."
    yield "`eval/` in front of an id is the same metric on the evaluation split."
    yield ""
    yield "↑ higher is better, ↓ lower is better, ↔ a band is healthy, nothing: context only."
    yield ""
    yield "See also [what to watch](watch-lists.md), [symptoms](symptoms.md) and the"
    yield "[glossary](glossary.md)."
    yield from _metrics()
    yield ""
    yield "## Tools"
    yield ""
    yield "| tool | hint | read from version | names |"
    yield "|---|---|---|---|"
    for tool in tools:
        yield f"| {tool.title} | `{tool.id}` | {_cell(tool.version)} | {len(tool.aliases)} |"


def _framework_page() -> Iterator[str]:
    tools = [FRAMEWORKS[id] for id in ("verl", "openrlhf", "trl", "stable-baselines3", "cleanrl")]
    yield from _head("Which tool uses which name")
    yield "One meaning, many names. The first seven rows are from the Training Metrics Glossary, the"
    yield "names come from the source code of each tool. Names in one cell are logged by different"
    yield "algorithms or versions, and may differ as estimators: `runvitals explain NAME` says how."
    yield "`runvitals explain --frameworks KL` prints all tools, `runvitals explain TRL` one of them."
    yield ""
    yield "| meaning | " + " | ".join(tool.title for tool in tools) + " |"
    yield "|---" * (len(tools) + 1) + "|"
    for meaning, ids in COMPARED.items():
        cells = [
            ", ".join(dict.fromkeys(f"`{a.name}`" for a in tool.aliases if a.metric in ids)) or "-"
            for tool in tools
        ]
        yield f"| {meaning} | " + " | ".join(map(_cell, cells)) + " |"
    yield ""
    yield "Two cells of the glossary's own table are not what TRL logs: its entropy is"
    yield "`policy/entropy_avg` or `entropy`, not `policy/approx_kl`, and its gradient norm is"
    yield "`grad_norm`, not a part of `loss/total`."


def _list_page() -> Iterator[str]:
    yield from _head("What to watch")
    yield "Lists for each kind of training, the most telling group first, and below them what five"
    yield "documents on training metrics list, section by section. `runvitals metrics --scenario LIST`"
    yield "shows a list in the terminal, `runvitals explain GROUP` a single group. A name in brackets"
    yield "is how the document behind the list calls the metric."
    for scenario in SCENARIOS.values():
        yield from _list(scenario)
    yield ""
    yield "## Documents, section by section"
    for chapter in CHAPTERS.values():
        yield from _list(chapter)


def _list(scenario: Scenario) -> Iterator[str]:
    yield ""
    yield f"### {scenario.title} (`{scenario.id}`)"
    yield ""
    for group in scenario.groups:
        metrics = []
        for one in listed(scenario, group):
            names = ", ".join(f"`{name}`" for name in one.names if name != one.metric)
            metrics.append(f"`{one.metric}` ({names})" if names else f"`{one.metric}`")
        note = f" {group.note}" if group.note else ""
        yield f"- **{group.title}**: {', '.join(metrics)}.{note}"


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


def _symptom_page() -> Iterator[str]:
    yield from _head("Symptoms")
    yield "What you see, where to look first and next, what it often is, what to try, and the rules"
    yield 'that look for it. `runvitals explain "KL spikes"` shows one in the terminal; say it in your'
    yield "own words, or in those of your log."
    for subject, symptoms in SYMPTOMS_BY_SUBJECT.items():
        yield ""
        yield f"## {subject[0].upper()}{subject[1:]}"
        yield ""
        yield "| what you see | look first at | then at | often it is | try | rules |"
        yield "|---|---|---|---|---|---|"
        for symptom in symptoms:
            first = ", ".join(f"`{metric}`" for metric in symptom.check_first)
            then = ", ".join(f"`{metric}`" for metric in symptom.then_check)
            cells = (symptom.sign, first, then, symptom.likely, symptom.advice)
            yield f"| {' | '.join(map(_cell, cells))} | {', '.join(symptom.rules)} |"


def _glossary_page() -> Iterator[str]:
    yield from _head("Glossary")
    yield "Words of the trade. `runvitals explain WORD` shows them in the terminal."
    yield ""
    for term in sorted(TERMS.values(), key=lambda term: term.word.casefold()):
        also = f" Also: {', '.join(term.also)}." if term.also else ""
        yield f"- **{term.word}**: {term.definition}{also}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in render().items():
        (folder / name).write_text(text, encoding="utf-8")
        print(f"wrote {folder / name}")
