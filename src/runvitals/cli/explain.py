"""`runvitals explain`: what a number is, what is healthy, what else it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runvitals.cli.options import Format, described
from runvitals.cli.output import print_json

if TYPE_CHECKING:
    from runvitals.render.terminal import Cell, TerminalPage


@described("""
name (complete=metrics): A metric as your tool logs it, or its canonical id.
-f --framework (complete=frameworks): The tool that logs it, e.g. verl.
-a --algorithm: The algorithm, e.g. GRPO.
--frameworks: Only compare what each tool calls it.
""")
def explain(
    name: str,
    framework: str | None = None,
    algorithm: str | None = None,
    frameworks: bool = False,
    format: Format = Format.text,
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
    from runvitals.render.terminal import TerminalPage

    _show(answer, TerminalPage())


_DIRECTIONS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "target": "a band is healthy; both ends are suspicious",
    "neutral": "context only: neither end is better",
}


def _show(answer: dict[str, Any], page: TerminalPage) -> None:
    if answer.get("term") and answer["kind"] != "metric":
        page.title(answer["term"]["word"])
        page.paragraph(answer["term"]["definition"])
    kind = answer["kind"]
    if kind == "family":
        page.title((f"{len(answer['members'])} names", "default"))
        _show_family(answer["members"], 60, page)
    elif kind == "metric":
        _show_metric(answer, page)
    elif kind in _OTHERS:
        _OTHERS[kind](answer, page)
    elif answer["candidates"]:
        _show_ambiguous(answer, page)
    if kind not in ("family", "setting"):
        _show_beside(answer, page)


def _compare_tools(name: str, format: Format) -> None:
    """Print which tool logs this under which name."""
    from runvitals import catalog
    from runvitals.render.terminal import TerminalPage
    from runvitals.view.knowledge.look_up import framework_table, metrics_meant

    metrics = metrics_meant(name)
    rows = framework_table(metrics)
    if format is Format.json:
        print_json({"query": name, "metrics": list(metrics), "names": rows})
        return
    page = TerminalPage()
    for id in metrics:
        metric = catalog.metric(id)
        page.title(id)
        page.paragraph(f"{metric.meaning}." if metric else "")
        mine = [row for row in rows if row["metric"] == id]
        page.rows([(row["title"], (row["name"], "cyan"), _use(row)) for row in mine])
        page.blank()


def _use(row: dict[str, Any]) -> str:
    return "; ".join(filter(None, (", ".join(row["algorithms"][:4]), row["note"])))


def _show_tool(answer: dict[str, Any], page: TerminalPage) -> None:
    if not answer["term"]:
        page.title(answer["title"])
    page.paragraph(f"{answer['count']} names known, read from {answer['version']}.", "dim")
    page.heading("Calls things")
    page.rows(
        [
            (
                row["meaning"] if i == 0 else "",
                (one["name"], "cyan"),
                "; ".join(filter(None, (one["metric"], one["note"]))),
            )
            for row in answer["names"]
            for i, one in enumerate(row["names"])
        ]
    )
    if answer["not_logged"]:
        page.heading("No name known for")
        page.paragraph(", ".join(answer["not_logged"]))
    if answer["differs"]:
        page.heading("Differs from other tools")
        page.rows([((one["name"], "cyan"), one["how"], one["metric"]) for one in answer["differs"]])
    page.blank()
    page.paragraph("runvitals explain --frameworks KL compares what tools call it", "dim")


def _show_metric(answer: dict[str, Any], page: TerminalPage) -> None:
    title = f"   {answer['title']}" if answer["title"] else ""
    page.title(answer["metric"], (title, "not bold default"))
    page.paragraph(answer["meaning"] + ".")
    unit = f"{answer['unit']}; {_DIRECTIONS[answer['direction']]}; {answer['category']}"
    page.paragraph(unit, "dim")
    _show_match(answer, page)
    if answer["term"]:
        page.heading("In the glossary")
        page.paragraph(f"{answer['term']['word']}: {answer['term']['definition']}")
    if answer["healthy"]:
        page.heading("Healthy")
        page.rows(
            [((_range(band), "green"), band["why"], _where(band)) for band in answer["healthy"]]
        )
    if answer["watch_for"]:
        page.heading("Watch for")
        page.paragraph(answer["watch_for"])
    if answer["symptoms"]:
        page.heading("First place to look when")
        for sign in answer["symptoms"]:
            page.paragraph(sign if sign[1:2].isupper() else f"{sign[0].lower()}{sign[1:]}")
    if answer["names"]:
        page.heading("Called")
        page.rows(
            [
                (entry["framework"], (entry["name"], "cyan"), _remark(entry))
                for entry in answer["names"]
            ]
        )
    for key, text in (("not_the_same_as", "Not the same as"), ("related", "See also")):
        if answer[key]:
            page.heading(text)
            page.rows([((one["metric"], "cyan"), one["meaning"]) for one in answer[key]])
    if answer["lists"]:
        page.heading("On the lists")
        page.rows(
            [(one["id"], f"{one['title']}: {one['group'].lower()}") for one in answer["lists"]]
        )


def _show_beside(answer: dict[str, Any], page: TerminalPage) -> None:
    """What else goes by the name: a setting, lists, the names below it."""
    if answer.get("settings"):
        page.heading("Also a setting")
        for one in answer["settings"]:
            note = f" {one['note']}" if one["note"] else ""
            meaning = one["meaning"]
            page.paragraph(f"{one['key']}: {meaning[0].lower()}{meaning[1:]}.{note}")
    if answer["kind"] != "list":
        for group in answer.get("groups", ()):
            page.heading(f"On the list {group['of']}: {group['title']}")
            page.rows(_group_rows(group))
    if answer.get("members"):
        page.heading(f"Names under {answer['query']}/")
        _show_family(answer["members"], 12, page)


def _show_family(members: list[dict[str, Any]], at_most: int, page: TerminalPage) -> None:
    page.rows(
        [
            (
                (one["name"], "cyan"),
                one["meaning"] or "known, without a general meaning",
                one["metric"] if one["metric"] != one["name"] else "",
            )
            for one in members[:at_most]
        ]
    )
    if len(members) > at_most:
        page.paragraph(
            f"and {len(members) - at_most} more; --framework TOOL shows those of one tool"
        )


def _show_match(answer: dict[str, Any], page: TerminalPage) -> None:
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
    page.paragraph(text + ".")


def _show_ambiguous(answer: dict[str, Any], page: TerminalPage) -> None:
    known = [claim for claim in answer["candidates"] if claim["metric"]]
    if not known:
        tools = ", ".join(sorted({claim["framework"] for claim in answer["candidates"]}))
        page.paragraph(f"{answer['query']} is logged by {tools} and has no general meaning.")
        return
    if not answer.get("term"):
        page.title(answer["query"])
    page.paragraph("This name is ambiguous. What it means depends on the tool that logs it:")
    page.heading("May be")
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
    page.rows(
        [((metric, "cyan"), meanings[metric], "; ".join(who)) for metric, who in grouped.items()]
    )
    if answer["healthy"]:
        page.heading("Healthy")
        several = len({band["metric"] for band in answer["healthy"]}) > 1
        page.rows(
            [
                (
                    (_range(band), "green"),
                    f"{band['metric']}: {band['why']}" if several else band["why"],
                    _where(band),
                )
                for band in answer["healthy"]
            ]
        )
    page.blank()
    page.paragraph("Name the tool and, if that is not enough, the algorithm:")
    tool = known[0]["framework"]
    extra = f" --algorithm {known[0]['algorithms'][0]}" if known[0]["algorithms"] else ""
    page.paragraph(f"runvitals explain {answer['query']} --framework {tool}{extra}", "cyan")


def _show_setting(answer: dict[str, Any], page: TerminalPage) -> None:
    if len(answer["settings"]) > 1:
        page.title(answer["query"])
        page.paragraph("Which setting this is depends on the other settings of the run:")
        page.rows(
            [
                ((one["key"], "cyan"), f"{one['meaning']}. {one['note']}".strip())
                for one in answer["settings"]
            ]
        )
        return
    page.title(answer["key"], ("   a setting", "not bold default"))
    page.paragraph(answer["meaning"] + ".")
    if answer["note"]:
        page.paragraph(answer["note"])
    if answer["limits"]:
        page.heading("Sets the limit of")
        page.rows([((one["metric"], "cyan"), one["why"]) for one in answer["limits"]])
    page.heading("Called")
    page.paragraph(", ".join(answer["names"]))
    if answer.get("near"):
        page.heading("Not the same as")
        page.rows([((one["metric"], "cyan"), one["meaning"]) for one in answer["near"]])


def _show_list(answer: dict[str, Any], page: TerminalPage) -> None:
    page.title(answer["title"])
    several = len({group["list"] for group in answer["groups"]}) > 1
    for group in answer["groups"]:
        page.heading(f"{group['of']}: {group['title']}" if several else group["title"])
        if group["note"]:
            page.paragraph(group["note"], "dim")
        page.rows(_group_rows(group))


def _group_rows(group: dict[str, Any]) -> list[tuple[Cell, ...]]:
    """Metric, meaning, and what its document calls it."""
    return [
        ((one["metric"], "cyan"), one["meaning"], ", ".join(one["names"]))
        for one in group["metrics"]
    ]


def _show_symptom(answer: dict[str, Any], page: TerminalPage) -> None:
    for symptom in answer["symptoms"]:
        page.title(symptom["sign"])
        page.paragraph(f"Often: {symptom['likely']}. Try: {symptom['advice']}.")
        page.paragraph(f"[{symptom['source']}]", "dim")
        for key, text in (("check_first", "Look first at"), ("then_check", "Then at")):
            if symptom[key]:
                page.heading(text)
                page.rows([((one["metric"], "cyan"), one["meaning"]) for one in symptom[key]])
        if symptom["rules"]:
            page.heading("Rules that look for it")
            page.paragraph(", ".join(symptom["rules"]) + "   (runvitals rule CODE)", "cyan")
        page.blank()


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
