"""`runvitals explain`: what a number is, what is healthy, what else it is called."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runvitals.cli import completion

if TYPE_CHECKING:
    from rich.console import Console

    from runvitals.catalog import Member, Resolution
    from runvitals.model import Alias, Band, Metric


class Format(StrEnum):
    """How to print."""

    text = "text"
    json = "json"


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
    format: Annotated[
        Format, typer.Option(help="text for people, json for machines.")
    ] = Format.text,
) -> None:
    """Say what a metric is, what is healthy, and what other tools call it.

    Takes any name that a known tool logs (actor/ppo_kl, train/approx_kl), a canonical id
    (policy/approx_kl), a setting (target_kl), a word of the glossary (GAE), a symptom (KL spikes),
    a list (ppo-grpo), or a family of names (timing_s/, System/*).
    """
    answer = _look_up(name, framework, algorithm)
    if format is Format.json:
        import orjson

        print(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    _show(answer, Console(highlight=False, soft_wrap=False))


def _look_up(name: str, framework: str | None, algorithm: str | None) -> dict[str, Any]:
    """Everything there is to say about a name, as plain data."""
    from runvitals import catalog
    from runvitals.model import ConfigError

    if framework is not None and catalog.find_framework(framework) is None:
        tools = ", ".join(sorted(catalog.FRAMEWORKS))
        raise ConfigError(f"no tool called {framework!r} is known", hint=f"known are {tools}")
    if not name.strip("*/| "):
        raise ConfigError(f"{name!r} is every name there is", hint="runvitals metrics lists them")
    if catalog.is_family(name) and (many := _family_answer(name, framework, algorithm)):
        return many
    found = catalog.resolve(name, framework=framework, algorithm=algorithm)
    known = catalog.candidates(name)
    if found is None and len({(a.metric, a.scale, a.transform) for _, a in known}) == 1:
        # Too vague a name to claim in a log, but only one thing it has ever been.
        found = catalog.resolve(name, framework=known[0][0], algorithm=algorithm)
    term = catalog.find_term(name)
    if found is not None:
        metric = catalog.metric(found.metric)
        if metric is not None:
            return _metric_answer(name, metric, found)
    claims = _claims(known, framework)
    if claims or term:
        answer: dict[str, Any] = {"query": name, "kind": "term" if not claims else "ambiguous"}
        if term:
            answer["term"] = {"word": term.word, "definition": term.definition}
        answer["candidates"] = claims
        answer |= _beside(name, framework)
        return answer
    if other := _other_answer(name, framework):
        return other
    near = catalog.suggest(name)
    hint = f"did you mean {', '.join(near)}?" if near else "list them with: runvitals metrics"
    raise ConfigError(f"no metric or term called {name!r} is known", hint=hint)


def _family_answer(
    name: str, framework: str | None, algorithm: str | None
) -> dict[str, Any] | None:
    """All names that fit; the metric itself when they are all one."""
    from runvitals import catalog

    members = catalog.family(name, framework)
    if len(members) == 1 and catalog.find_term(name):
        return None
    if len({member.metric for member in members}) <= 1:
        found = catalog.resolve(name, framework=framework, algorithm=algorithm)
        metric = catalog.metric(found.metric) if found else None
        if found and metric and found.how == "pattern":
            return _metric_answer(name, metric, found)
    return {"query": name, "kind": "family", "members": _rows(members)} if members else None


def _rows(members: list[Member]) -> list[dict[str, Any]]:
    return [{"name": m.name, "tools": list(m.tools), **_short(m.metric or "")} for m in members]


def _beside(name: str, framework: str | None) -> dict[str, Any]:
    """What else a name is: a setting, or the head of a family of names."""
    from runvitals import catalog

    key = catalog.find_config_key(name) if "/" not in name else None
    head = f"{name}/"
    below = catalog.family(head, framework) if "/" not in name else []
    exact = [member for member in below if member.name.startswith(head)]
    return {
        "setting": {"key": key.id, "meaning": key.meaning} if key else None,
        "members": _rows(exact if len(exact) > 1 else []),
    }


def _other_answer(name: str, framework: str | None) -> dict[str, Any] | None:
    """Settings, families, lists and symptoms, for a name that is no metric."""
    from runvitals import catalog

    key = catalog.find_config_key(name) if "/" not in name else None
    if key is not None:
        limits = [
            {"metric": metric.id, **_band(band)}
            for metric in catalog.METRICS.values()
            for band in metric.healthy
            if band.config_key == key.id
        ]
        return {
            "query": name,
            "kind": "setting",
            "key": key.id,
            "meaning": key.meaning,
            "names": list(key.aliases),
            "limits": limits,
        }
    scenario = catalog.find_scenario(name)
    if scenario is not None:
        groups = [
            {"title": g.title, "note": g.note, "metrics": [_short(i) for i in g.metrics]}
            for g in scenario.groups
        ]
        return {"query": name, "kind": "list", "title": scenario.title, "groups": groups}
    for members in (catalog.family(f"{name}/", framework), catalog.family(f"{name}_*", framework)):
        if members:
            return {"query": name, "kind": "family", "members": _rows(members)}
    symptoms = [
        {
            "sign": one.sign,
            "check_first": [_short(i) for i in one.check_first],
            "then_check": [_short(i) for i in one.then_check],
            "likely": one.likely,
            "advice": one.advice,
            "source": one.source,
        }
        for one in catalog.find_symptoms(name)
    ]
    return {"query": name, "kind": "symptom", "symptoms": symptoms} if symptoms else None


def _claims(candidates: list[tuple[str, Alias]], framework: str | None) -> list[dict[str, Any]]:
    from runvitals import catalog

    wanted = catalog.find_framework(framework) if framework else None
    return [
        {
            "framework": tool,
            "metric": alias.metric,
            "algorithms": list(alias.algorithms),
            "versions": alias.versions,
            "meaning": (
                found.meaning if alias.metric and (found := catalog.metric(alias.metric)) else ""
            ),
        }
        for tool, alias in candidates
        if wanted is None or tool == wanted
    ]


def _metric_answer(name: str, metric: Metric, found: Resolution) -> dict[str, Any]:
    from runvitals import catalog

    base = catalog.METRICS.get(metric.id.removeprefix("eval/"), metric)
    names = [
        {
            "framework": tool.id,
            "title": tool.title,
            "name": alias.name,
            "algorithms": list(alias.algorithms),
            "scale": alias.scale,
            "transform": alias.transform,
            "versions": alias.versions,
            "note": alias.note,
        }
        for tool in catalog.FRAMEWORKS.values()
        for alias in tool.aliases
        if alias.metric == metric.id
    ]
    return {
        "query": name,
        "kind": "metric",
        "metric": metric.id,
        "title": metric.title,
        "meaning": metric.meaning,
        "unit": metric.unit,
        "direction": metric.direction,
        "category": metric.category,
        "group": catalog.group_of(metric.id),
        "matched": {
            "how": found.how,
            "framework": found.framework,
            "labels": dict(found.labels),
            "scale": found.scale,
            "transform": found.transform,
            "note": found.alias.note if found.alias else "",
        },
        "healthy": [_band(band) for band in metric.healthy],
        "watch_for": metric.watch_for,
        "names": names,
        "not_the_same_as": [_short(i) for i in metric.not_the_same_as],
        "related": [_short(i) for i in metric.related],
        "lists": [
            {"id": scenario.id, "title": scenario.title, "group": group.title}
            for scenario in catalog.SCENARIOS.values()
            for group in scenario.groups
            if metric.id in group.metrics or base.id in group.metrics
        ],
        "symptoms": [s.sign for s in catalog.SYMPTOMS if metric.id in s.check_first],
        "documents": list(metric.documents),
        **({} if name == metric.id else _beside(name, None)),
    }


def _band(band: Band) -> dict[str, Any]:
    return {
        "low": band.low,
        "high": band.high,
        "why": band.why,
        "source": band.source,
        "context": band.context,
        "algorithms": list(band.algorithms),
        "config_key": band.config_key,
    }


def _short(metric_id: str) -> dict[str, str]:
    from runvitals import catalog

    found = catalog.metric(metric_id)
    return {"metric": metric_id, "meaning": found.meaning if found else ""}


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

    def beside() -> None:
        if answer.get("setting"):
            key, meaning = answer["setting"]["key"], answer["setting"]["meaning"]
            heading("Also a setting")
            paragraph(f"{key}: {meaning[0].lower()}{meaning[1:]}.")
        if answer.get("members"):
            heading(f"Names below {answer['query']}/")
            family(answer["members"], 12)

    def family(members: list[dict[str, Any]], most: int) -> None:
        rows(
            [
                (
                    Text(one["name"], style="cyan"),
                    one["meaning"] or "known, without a general meaning",
                    one["metric"] if one["metric"] != one["name"] else "",
                )
                for one in members[:most]
            ]
        )
        if len(members) > most:
            paragraph(f"and {len(members) - most} more; --framework TOOL shows those of one tool")

    if answer.get("term"):
        console.print(Text(answer["term"]["word"], style="bold cyan"))
        paragraph(answer["term"]["definition"])
    if answer["kind"] == "family":
        console.print(Text(f"{len(answer['members'])} names", style="bold"))
        family(answer["members"], 60)
        return
    if answer["kind"] in _OTHERS:
        _OTHERS[answer["kind"]](answer, console, heading, paragraph, rows)
        return
    if answer["kind"] != "metric":
        if answer["candidates"]:
            _show_ambiguous(answer, console, heading, paragraph, rows)
        beside()
        return
    title = Text(answer["metric"], style="bold cyan")
    if answer["title"]:
        title.append(f"   {answer['title']}", style="not bold default")
    console.print(title)
    paragraph(answer["meaning"] + ".")
    unit = f"{answer['unit']}; {_DIRECTIONS[answer['direction']]}; {answer['category']}"
    paragraph(unit, "dim")
    _show_match(answer, paragraph)
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
    beside()


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
        paragraph(f"{answer['query']} is logged by {tools}, and has no general meaning.")
        return
    if not answer.get("term"):
        console.print(Text(answer["query"], style="bold cyan"))
    paragraph("The name alone does not decide what this is. It depends on who logs it:")
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
    console.print()
    paragraph("Name the tool and, if that is not enough, the algorithm:")
    tool = known[0]["framework"]
    extra = f" --algorithm {known[0]['algorithms'][0]}" if known[0]["algorithms"] else ""
    paragraph(f"runvitals explain {answer['query']} --framework {tool}{extra}", "cyan")


def _show_setting(
    answer: dict[str, Any], console: Console, heading: Any, paragraph: Any, rows: Any
) -> None:
    from rich.text import Text

    console.print(Text(answer["key"], style="bold cyan").append("   a setting", "not bold default"))
    paragraph(answer["meaning"] + ".")
    if answer["limits"]:
        heading("Sets the limit of")
        rows([(Text(one["metric"], style="cyan"), one["why"]) for one in answer["limits"]])
    heading("Called")
    paragraph(", ".join(answer["names"]))


def _show_list(
    answer: dict[str, Any], console: Console, heading: Any, paragraph: Any, rows: Any
) -> None:
    from rich.text import Text

    console.print(Text(answer["title"], style="bold cyan"))
    for group in answer["groups"]:
        heading(group["title"])
        if group["note"]:
            paragraph(group["note"], "dim")
        rows([(Text(one["metric"], style="cyan"), one["meaning"]) for one in group["metrics"]])


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
        console.print()


_OTHERS = {"setting": _show_setting, "list": _show_list, "symptom": _show_symptom}


def _range(band: dict[str, Any]) -> str:
    low, high = band["low"], band["high"]
    if low is None:
        return f"up to {high:g}"
    return f"{low:g} and more" if high is None else f"{low:g} to {high:g}"


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
