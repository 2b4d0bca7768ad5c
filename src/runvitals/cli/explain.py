"""`runvitals explain`: what a number is, what is healthy, what else it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from runvitals.cli import completion
from runvitals.cli.options import Format
from runvitals.cli.output import print_json

if TYPE_CHECKING:
    from rich.console import Console


def explain(
    name: Annotated[
        str,
        typer.Argument(
            help="A metric as your tool logs it, or its canonical id.",
            autocompletion=completion.metrics,
        ),
    ],
    framework: Annotated[
        str | None,
        typer.Option(
            "--framework",
            "-f",
            help="The tool that logs it, e.g. verl.",
            autocompletion=completion.frameworks,
        ),
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option("--algorithm", "-a", help="The algorithm, e.g. GRPO.")
    ] = None,
    frameworks: Annotated[
        bool, typer.Option("--frameworks", help="Only compare what each tool calls it.")
    ] = False,
    format: Annotated[Format, typer.Option(help="Output format.")] = Format.text,
) -> None:
    """Say what a metric is, what is healthy, and what other tools call it.

    Takes any name that a known tool logs (actor/ppo_kl, train/approx_kl), a canonical id
    (policy/approx_kl), a setting (target_kl), a glossary term (GAE), a symptom (KL spikes),
    a list (ppo-grpo), a family of names (timing_s/, System/*), or a tool (TRL).
    """
    from runvitals.view.knowledge.look_up import look_up

    if frameworks:
        _compare_tools(name, format)
        return
    answer = look_up(name, framework, algorithm)
    if format is Format.json:
        print_json(answer)
        return
    from rich.console import Console

    _show(answer, Console(highlight=False, soft_wrap=False))


_DIRECTIONS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "target": "a band is healthy; both ends are suspicious",
    "neutral": "context only: neither end is better",
}


def _show(answer: dict[str, Any], console: Console) -> None:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    def heading(text: str) -> None:
        console.print()
        console.print(Text(text, style="bold"))

    def paragraph(text: str, style: str = "") -> None:
        console.print(Padding(Text(text, style=style), (0, 0, 0, 2)))

    def rows(entries: list[tuple[Text | str, ...]]) -> None:
        table = Table.grid(padding=(0, 2))
        for index in range(len(entries[0])):
            table.add_column(overflow="fold", no_wrap=False, style="dim" if index > 1 else "")
        for entry in entries:
            # Text, so that "[source]" is not taken for markup.
            table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in entry))
        console.print(Padding(table, (0, 0, 0, 2)))

    if answer.get("term") and answer["kind"] != "metric":
        console.print(Text(answer["term"]["word"], style="bold cyan"))
        paragraph(answer["term"]["definition"])
    kind = answer["kind"]
    if kind == "family":
        console.print(Text(f"{len(answer['members'])} names", style="bold"))
        _show_family(answer["members"], 60, paragraph, rows)
    elif kind == "metric":
        _show_metric(answer, console, heading, paragraph, rows)
    elif kind in _OTHERS:
        _OTHERS[kind](answer, console, heading, paragraph, rows)
    elif answer["candidates"]:
        _show_ambiguous(answer, console, heading, paragraph, rows)
    if kind not in ("family", "setting"):
        _show_beside(answer, heading, paragraph, rows)


def _compare_tools(name: str, format: Format) -> None:
    """Print which tool logs this under which name."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from runvitals import catalog
    from runvitals.view.knowledge.look_up import framework_table, metrics_meant

    metrics = metrics_meant(name)
    rows = framework_table(metrics)
    if format is Format.json:
        print_json({"query": name, "metrics": list(metrics), "names": rows})
        return
    console = Console(highlight=False)
    for id in metrics:
        metric = catalog.metric(id)
        console.print(Text(id, style="bold cyan"))
        console.print(Padding(Text(f"{metric.meaning}." if metric else ""), (0, 0, 0, 2)))
        table = Table.grid(padding=(0, 2))
        for row in (row for row in rows if row["metric"] == id):
            remark = "; ".join(filter(None, (", ".join(row["algorithms"][:4]), row["note"])))
            table.add_row(row["title"], Text(row["name"], style="cyan"), Text(remark, style="dim"))
        console.print(Padding(table, (0, 0, 1, 2)))


def _show_tool(
    answer: dict[str, Any], console: Console, heading: Any, paragraph: Any, rows: Any
) -> None:
    from rich.text import Text

    if not answer["term"]:
        console.print(Text(answer["title"], style="bold cyan"))
    paragraph(f"{answer['count']} names known, read from {answer['version']}.", "dim")
    heading("Calls things")
    rows(
        [
            (
                row["meaning"] if i == 0 else "",
                Text(one["name"], style="cyan"),
                "; ".join(filter(None, (one["metric"], one["note"]))),
            )
            for row in answer["names"]
            for i, one in enumerate(row["names"])
        ]
    )
    if answer["not_logged"]:
        heading("No name known for")
        paragraph(", ".join(answer["not_logged"]))
    if answer["differs"]:
        heading("Differs from other tools")
        rows(
            [
                (Text(one["name"], style="cyan"), one["how"], one["metric"])
                for one in answer["differs"]
            ]
        )
    console.print()
    paragraph("runvitals explain --frameworks KL compares what tools call it", "dim")


def _show_metric(
    answer: dict[str, Any], console: Console, heading: Any, paragraph: Any, rows: Any
) -> None:
    from rich.text import Text

    title = Text(answer["metric"], style="bold cyan")
    if answer["title"]:
        title.append(f"   {answer['title']}", style="not bold default")
    console.print(title)
    paragraph(answer["meaning"] + ".")
    unit = f"{answer['unit']}; {_DIRECTIONS[answer['direction']]}; {answer['category']}"
    paragraph(unit, "dim")
    _show_match(answer, paragraph)
    if answer["term"]:
        heading("In the glossary")
        paragraph(f"{answer['term']['word']}: {answer['term']['definition']}")
    if answer["healthy"]:
        heading("Healthy")
        rows(
            [
                (Text(_range(band), style="green"), band["why"], _where(band))
                for band in answer["healthy"]
            ]
        )
    if answer["watch_for"]:
        heading("Watch for")
        paragraph(answer["watch_for"])
    if answer["symptoms"]:
        heading("First place to look when")
        for sign in answer["symptoms"]:
            paragraph(sign if sign[1:2].isupper() else f"{sign[0].lower()}{sign[1:]}")
    if answer["names"]:
        heading("Called")
        rows(
            [
                (entry["framework"], Text(entry["name"], style="cyan"), _remark(entry))
                for entry in answer["names"]
            ]
        )
    for key, text in (("not_the_same_as", "Not the same as"), ("related", "See also")):
        if answer[key]:
            heading(text)
            rows([(Text(one["metric"], style="cyan"), one["meaning"]) for one in answer[key]])
    if answer["lists"]:
        heading("On the lists")
        rows([(one["id"], f"{one['title']}: {one['group'].lower()}") for one in answer["lists"]])


def _show_beside(answer: dict[str, Any], heading: Any, paragraph: Any, rows: Any) -> None:
    """What else goes by the name: a setting, lists, the names below it."""
    if answer.get("settings"):
        heading("Also a setting")
        for one in answer["settings"]:
            note = f" {one['note']}" if one["note"] else ""
            meaning = one["meaning"]
            paragraph(f"{one['key']}: {meaning[0].lower()}{meaning[1:]}.{note}")
    if answer["kind"] != "list":
        for group in answer.get("groups", ()):
            heading(f"On the list {group['of']}: {group['title']}")
            rows(_group_rows(group))
    if answer.get("members"):
        heading(f"Names under {answer['query']}/")
        _show_family(answer["members"], 12, paragraph, rows)


def _show_family(members: list[dict[str, Any]], at_most: int, paragraph: Any, rows: Any) -> None:
    from rich.text import Text

    rows(
        [
            (
                Text(one["name"], style="cyan"),
                one["meaning"] or "known, without a general meaning",
                one["metric"] if one["metric"] != one["name"] else "",
            )
            for one in members[:at_most]
        ]
    )
    if len(members) > at_most:
        paragraph(f"and {len(members) - at_most} more; --framework TOOL shows those of one tool")


def _show_match(answer: dict[str, Any], paragraph: Any) -> None:
    matched = answer["matched"]
    if answer["query"] == answer["metric"]:
        return
    labels = ", ".join(f"{k}={v}" for k, v in matched["labels"].items())
    text = f"{answer['query']} is this metric"
    if matched["framework"]:
        text += f" in {matched['framework']}"
    if labels:
        text += f", with {labels}"
    if matched["transform"]:
        text += f"; canonical value = {matched['transform']}"
    elif matched["scale"] != 1.0:
        text += f"; canonical value = {matched['scale']:g} * logged value"
    if matched["how"] == "words":
        text += "; read from the words of the name, no known tool logs it so"
    paragraph(text + ".")


def _show_ambiguous(
    answer: dict[str, Any], console: Console, heading: Any, paragraph: Any, rows: Any
) -> None:
    from rich.text import Text

    known = [claim for claim in answer["candidates"] if claim["metric"]]
    if not known:
        tools = ", ".join(sorted({claim["framework"] for claim in answer["candidates"]}))
        paragraph(f"{answer['query']} is logged by {tools} and has no general meaning.")
        return
    if not answer.get("term"):
        console.print(Text(answer["query"], style="bold cyan"))
    paragraph("This name is ambiguous. What it means depends on the tool that logs it:")
    heading("May be")
    grouped: dict[str, list[str]] = {}
    for claim in known:
        who = claim["framework"]
        if claim["algorithms"]:
            more = ", …" if len(claim["algorithms"]) > 4 else ""
            who += f" ({', '.join(claim['algorithms'][:4])}{more})"
        if claim["versions"]:
            who += f" {claim['versions']}"
        grouped.setdefault(claim["metric"], []).append(who)
    meanings = {claim["metric"]: claim["meaning"] for claim in known}
    rows(
        [
            (Text(metric, style="cyan"), meanings[metric], "; ".join(who))
            for metric, who in grouped.items()
        ]
    )
    if answer["healthy"]:
        heading("Healthy")
        several = len({band["metric"] for band in answer["healthy"]}) > 1
        rows(
            [
                (
                    Text(_range(band), style="green"),
                    f"{band['metric']}: {band['why']}" if several else band["why"],
                    _where(band),
                )
                for band in answer["healthy"]
            ]
        )
    console.print()
    paragraph("Name the tool and, if that is not enough, the algorithm:")
    tool = known[0]["framework"]
    extra = f" --algorithm {known[0]['algorithms'][0]}" if known[0]["algorithms"] else ""
    paragraph(f"runvitals explain {answer['query']} --framework {tool}{extra}", "cyan")


def _show_setting(
    answer: dict[str, Any], console: Console, heading: Any, paragraph: Any, rows: Any
) -> None:
    from rich.text import Text

    if len(answer["settings"]) > 1:
        console.print(Text(answer["query"], style="bold cyan"))
        paragraph("Which setting this is depends on the other settings of the run:")
        rows(
            [
                (Text(one["key"], style="cyan"), f"{one['meaning']}. {one['note']}".strip())
                for one in answer["settings"]
            ]
        )
        return
    console.print(Text(answer["key"], style="bold cyan").append("   a setting", "not bold default"))
    paragraph(answer["meaning"] + ".")
    if answer["note"]:
        paragraph(answer["note"])
    if answer["limits"]:
        heading("Sets the limit of")
        rows([(Text(one["metric"], style="cyan"), one["why"]) for one in answer["limits"]])
    heading("Called")
    paragraph(", ".join(answer["names"]))
    if answer.get("near"):
        heading("Not the same as")
        rows([(Text(one["metric"], style="cyan"), one["meaning"]) for one in answer["near"]])


def _show_list(
    answer: dict[str, Any], console: Console, heading: Any, paragraph: Any, rows: Any
) -> None:
    from rich.text import Text

    console.print(Text(answer["title"], style="bold cyan"))
    several = len({group["list"] for group in answer["groups"]}) > 1
    for group in answer["groups"]:
        heading(f"{group['of']}: {group['title']}" if several else group["title"])
        if group["note"]:
            paragraph(group["note"], "dim")
        rows(_group_rows(group))


def _group_rows(group: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Metric, meaning, and what its document calls it."""
    from rich.text import Text

    return [
        (Text(one["metric"], style="cyan"), one["meaning"], ", ".join(one["names"]))
        for one in group["metrics"]
    ]


def _show_symptom(
    answer: dict[str, Any], console: Console, heading: Any, paragraph: Any, rows: Any
) -> None:
    from rich.text import Text

    for symptom in answer["symptoms"]:
        console.print(Text(symptom["sign"], style="bold cyan"))
        paragraph(f"Often: {symptom['likely']}. Try: {symptom['advice']}.")
        paragraph(f"[{symptom['source']}]", "dim")
        for key, text in (("check_first", "Look first at"), ("then_check", "Then at")):
            if symptom[key]:
                heading(text)
                rows([(Text(one["metric"], style="cyan"), one["meaning"]) for one in symptom[key]])
        if symptom["rules"]:
            heading("Rules that look for it")
            paragraph(", ".join(symptom["rules"]) + "   (runvitals rule CODE)", "cyan")
        console.print()


_OTHERS = {
    "setting": _show_setting,
    "list": _show_list,
    "symptom": _show_symptom,
    "tool": _show_tool,
}


def _range(band: dict[str, Any]) -> str:
    low, high = band["low"], band["high"]
    if low is None:
        return f"up to {high:g}"
    return f"{low:g} or more" if high is None else f"{low:g} to {high:g}"


def _where(band: dict[str, Any]) -> str:
    parts = [band["context"], ", ".join(band["algorithms"])]
    if band["config_key"]:
        parts.append(f"set by {band['config_key']}")
    parts.append(f"[{band['source']}]")
    return "; ".join(part for part in parts if part)


def _remark(entry: dict[str, Any]) -> str:
    parts = []
    if entry["algorithms"]:
        shown = entry["algorithms"][:4]
        parts.append(", ".join(shown) + (", …" if len(entry["algorithms"]) > 4 else ""))
    if entry["versions"]:
        parts.append(entry["versions"])
    if entry["transform"]:
        parts.append(f"canonical = {entry['transform']}")
    elif entry["scale"] == -1.0:
        parts.append("sign reversed")
    elif entry["scale"] != 1.0:
        parts.append(f"times {entry['scale']:g}")
    if entry["note"]:
        parts.append(entry["note"])
    return "; ".join(parts)
