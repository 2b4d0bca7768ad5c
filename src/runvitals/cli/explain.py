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
        uses = [_joined(", ".join(row["algorithms"][:4]), row["note"]) for row in mine]
        pairs = zip(mine, uses, strict=True)
        page.rows([(row["title"], (row["name"], "cyan"), use) for row, use in pairs])
        page.blank()


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _rows(records: list[dict[str, Any]], fields: str) -> list[tuple[Cell, ...]]:
    """These fields of records, the first of them as a name."""
    first, *others = fields.split()
    return [((one[first], "cyan"), *(one[field] for field in others)) for one in records]


def _show_tool(answer: dict[str, Any], page: TerminalPage) -> None:
    if not answer["term"]:
        page.title(answer["title"])
    page.paragraph(f"{answer['count']} names known, read from {answer['version']}.", "dim")
    page.heading("Calls things")
    page.rows(
        (row["meaning"] * (not i), (one["name"], "cyan"), _joined(one["metric"], one["note"]))
        for row in answer["names"]
        for i, one in enumerate(row["names"])
    )
    page.section("No name known for", ", ".join(answer["not_logged"]))
    page.section("Differs from other tools", _rows(answer["differs"], "name how metric"))
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
    page.section(
        "Healthy",
        [((_range(band), "green"), band["why"], _where(band)) for band in answer["healthy"]],
    )
    page.section("Watch for", answer["watch_for"])
    if answer["symptoms"]:
        page.heading("First place to look when")
        for sign in answer["symptoms"]:
            page.paragraph(sign if sign[1:2].isupper() else f"{sign[0].lower()}{sign[1:]}")
    names = answer["names"]
    page.section("Called", [(n["framework"], (n["name"], "cyan"), _remark(n)) for n in names])
    page.section("Not the same as", _rows(answer["not_the_same_as"], "metric meaning"))
    page.section("See also", _rows(answer["related"], "metric meaning"))
    lists = answer["lists"]
    page.section("On the lists", [(n["id"], f"{n['title']}: {n['group'].lower()}") for n in lists])


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
        (
            (one["name"], "cyan"),
            one["meaning"] or "known, without a general meaning",
            one["metric"] if one["metric"] != one["name"] else "",
        )
        for one in members[:at_most]
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
            who += f" ({_few(claim['algorithms'])})"
        if claim["versions"]:
            who += f" {claim['versions']}"
        grouped.setdefault(claim["metric"], []).append(who)
    meanings = {claim["metric"]: claim["meaning"] for claim in known}
    page.rows(
        ((metric, "cyan"), meanings[metric], "; ".join(who)) for metric, who in grouped.items()
    )
    several = len({band["metric"] for band in answer["healthy"]}) > 1
    healthy = [
        ((_range(band), "green"), f"{band['metric']}: " * several + band["why"], _where(band))
        for band in answer["healthy"]
    ]
    page.section("Healthy", healthy)
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
            ((one["key"], "cyan"), f"{one['meaning']}. {one['note']}".strip())
            for one in answer["settings"]
        )
        return
    page.title(answer["key"], ("   a setting", "not bold default"))
    page.paragraph(answer["meaning"] + ".")
    if answer["note"]:
        page.paragraph(answer["note"])
    page.section("Sets the limit of", _rows(answer["limits"], "metric why"))
    page.heading("Called")
    page.paragraph(", ".join(answer["names"]))
    page.section("Not the same as", _rows(answer.get("near") or [], "metric meaning"))


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
    rows = _rows(group["metrics"], "metric meaning names")
    return [(metric, meaning, ", ".join(names)) for metric, meaning, names in rows]


def _show_symptom(answer: dict[str, Any], page: TerminalPage) -> None:
    for symptom in answer["symptoms"]:
        page.title(symptom["sign"])
        page.paragraph(f"Often: {symptom['likely']}. Try: {symptom['advice']}.")
        page.paragraph(f"[{symptom['source']}]", "dim")
        page.section("Look first at", _rows(symptom["check_first"], "metric meaning"))
        page.section("Then at", _rows(symptom["then_check"], "metric meaning"))
        if symptom["rules"]:
            codes = ", ".join(symptom["rules"]) + "   (runvitals rule CODE)"
            page.section("Rules that look for it", codes, "cyan")
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
    setting = f"set by {band['config_key']}" if band["config_key"] else ""
    algorithms = ", ".join(band["algorithms"])
    return _joined(band["context"], algorithms, setting, f"[{band['source']}]")


def _remark(entry: dict[str, Any]) -> str:
    value = f"canonical = {entry['transform']}" if entry["transform"] else ""
    if not value and entry["scale"] != 1.0:
        value = "sign reversed" if entry["scale"] == -1.0 else f"times {entry['scale']:g}"
    return _joined(_few(entry["algorithms"]), entry["versions"], value, entry["note"])


def _few(algorithms: list[str]) -> str:
    return ", ".join(algorithms[:4]) + ", …" * (len(algorithms) > 4)
