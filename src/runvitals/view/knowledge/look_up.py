"""What there is to say about a name or a phrase, as plain data."""

from typing import Any

from runvitals import catalog
from runvitals.catalog import FamilyMember, Resolution
from runvitals.catalog.resolving.wording import text_of_heading
from runvitals.model import (
    Alias,
    ConfigError,
    ConfigKey,
    Framework,
    Metric,
    Scenario,
    Symptom,
    WatchGroup,
)
from runvitals.render.judged import fields
from runvitals.rules.registry import rules

BAND = "low high why source context algorithms config_key"
NAMED = "name metric algorithms note"  # what is said of a tool's name


def look_up(name: str, framework: str | None, algorithm: str | None) -> dict[str, Any]:
    """Everything there is to say about a name or a phrase; an error with near ones if it is none."""
    if framework is not None and catalog.find_framework(framework) is None:
        tools = ", ".join(sorted(catalog.FRAMEWORKS))
        raise ConfigError(f"no tool called {framework!r}", hint=f"choose one of {tools}")
    if not name.strip("*/| "):
        raise ConfigError(f"{name!r} is every name there is", hint="runvitals metrics lists them")
    heading = text_of_heading(name)
    shorter = (heading.partition(":")[0], heading.partition(" / ")[0])
    for text in dict.fromkeys((name, heading, *(part.strip() for part in shorter))):
        found = _answer(text, framework, algorithm) if text else None
        if found is not None:
            return {"query": name} | found
    if symptoms := catalog.find_symptoms(heading):
        return {"query": name} | _symptom_answer(heading, symptoms)
    if (code := name.strip().upper()) in rules():
        raise ConfigError(f"{code} is a rule, not a metric", hint=f"runvitals rule {code}")
    near = [*catalog.suggest_phrases(heading or name), *catalog.suggest(name)]
    near = list(dict.fromkeys(near))[:5]
    hint = f"did you mean {', '.join(near)}?" if near else "list them with: runvitals metrics"
    raise ConfigError(f"no metric or term called {name!r}", hint=hint)


def metrics_meant(text: str) -> tuple[str, ...]:
    """The metrics that a text may mean: those of a row, the metric of a name, or all candidates."""
    if found := catalog.compared_metrics(text):
        return found
    answer = look_up(text, None, None)
    claims = [str(one["metric"]) for one in answer.get("candidates", ()) if one["metric"]]
    return (answer["metric"],) if answer["kind"] == "metric" else tuple(dict.fromkeys(claims))


def _answer(text: str, framework: str | None, algorithm: str | None) -> dict[str, Any] | None:
    """What a text is: a tool, a name that one logs, a sign, a setting, words for a metric, a list."""
    if framework is None and (tool := tool_named(text)) is not None:
        return tool_answer(tool) | {"term": _term(text)} | _beside(text, framework)
    if catalog.is_family(text) and (many := _family_answer(text, framework, algorithm)):
        return many
    found = catalog.resolve(text, framework=framework, algorithm=algorithm)
    known = _candidates(text)
    if found is None and len({(a.metric, a.scale, a.transform) for _, a in known}) == 1:
        # Too vague a name to claim in a log, but only one thing it has ever been.
        found = catalog.resolve(text, framework=known[0][0], algorithm=algorithm)
    metric = catalog.metric(found.metric) if found else None
    if found and metric and found.how != "words" and not _is_another_setting(text, metric.id):
        return _metric_answer(text, metric, found)
    if symptoms := catalog.same_symptoms(text):
        return _symptom_answer(text, symptoms) | _beside(text, framework)
    if found and metric and not _is_another_setting(text, metric.id):
        return _metric_answer(text, metric, found)
    if found and metric and (setting := _other_answer(text, framework)):
        return setting | {"near": [_short(metric.id)]}
    return _described(text, known, framework) or _other_answer(text, framework)


def _candidates(text: str) -> list[tuple[str, Alias]]:
    """Who logs a name, in the spelling asked for; a single word in any case, since it says little."""
    spellings = [text] if "/" in text else [text, text.lower(), text.capitalize()]
    found: list[tuple[str, Alias]] = []
    for spelling in dict.fromkeys(spellings):
        found += [one for one in catalog.candidates(spelling) if one not in found]
    return found


def _is_another_setting(text: str, metric_id: str) -> bool:
    """`max_response_length` is a limit that was set, not the longest response that was seen.

    Not so where a tool logs a metric under this very name, as TRL does with `clip_ratio`.
    """
    key = catalog.find_config_key(text) if "/" not in text else None
    logged = any(alias.name == text for _, alias in catalog.candidates(text))
    if key is None or text not in key.aliases or logged:
        return False
    return key.id != metric_id.rpartition("/")[2] or metric_id.endswith(("_min", "_max"))


def _described(
    text: str, known: list[tuple[str, Alias]], framework: str | None
) -> dict[str, Any] | None:
    """A word of the glossary, or a name that several tools log for different things."""
    claims = _claims(known, framework)
    if not claims and catalog.find_term(text) is None:
        return None
    kind = "ambiguous" if claims else "term"
    healthy = [
        {"metric": metric.id, **fields(band, BAND)}
        for metric in map(catalog.metric, dict.fromkeys(claim["metric"] or "" for claim in claims))
        if metric is not None
        for band in metric.healthy
    ]
    answer = {"kind": kind, "term": _term(text), "candidates": claims, "healthy": healthy}
    return answer | _beside(text, framework)


def _term(text: str) -> dict[str, str] | None:
    found = catalog.find_term(text)
    return {"word": found.word, "definition": found.definition} if found else None


def _family_answer(
    name: str, framework: str | None, algorithm: str | None
) -> dict[str, Any] | None:
    """All names that fit; the metric itself when they are all one."""
    if catalog.find_term(name) and not framework:
        return None  # `metrics/` is a folder of the documents, whatever tools write below that name
    members = catalog.family(name, framework)
    if len({member.metric for member in members}) <= 1:
        found = catalog.resolve(name, framework=framework, algorithm=algorithm)
        metric = catalog.metric(found.metric) if found else None
        if found and metric and found.how == "pattern":
            return _metric_answer(name, metric, found)
    return {"kind": "family", "members": _rows(members)} if members else None


def _rows(members: list[FamilyMember]) -> list[dict[str, Any]]:
    return [{"name": m.name, "tools": list(m.tools), **_short(m.metric or "")} for m in members]


def _beside(text: str, framework: str | None) -> dict[str, Any]:
    """What else a text is: a setting, a list, or the head of a family of names."""
    plain = "/" not in text
    head = f"{text}/"
    below = catalog.family(head, framework) if plain else []
    exact = [member for member in below if member.name.startswith(head)]
    return {
        "settings": [_setting(key) for key in catalog.possible_config_keys(text)] if plain else [],
        "groups": [_group(*one) for one in catalog.find_groups(text)],
        "members": _rows(exact if len(exact) > 1 else []),
    }


def _other_answer(text: str, framework: str | None) -> dict[str, Any] | None:
    """Settings, lists and families, for a text that is not a metric."""
    each = [catalog.possible_config_keys(part) for part in text.split("/")]  # "beta/gamma"
    keys = [key for part in each for key in part] if all(each) else []
    if keys:
        return {"kind": "setting", **_setting(keys[0]), "settings": [_setting(k) for k in keys]}
    scenario = catalog.find_scenario(text)
    groups = catalog.find_groups(text)
    if groups and (scenario is None or len(groups) == 1):
        title = groups[0][0].title if len(groups) == 1 else text
        rest = _beside(text, framework) | {"groups": [_group(*one) for one in groups]}
        return {"kind": "list", "title": title, **rest}
    if scenario is not None:
        shown = [_group(scenario, group) for group in scenario.groups]
        return {"kind": "list", "title": scenario.title, "groups": shown}
    asked = (f"*/{text}", f"{text}/", f"{text}_*")
    for members in (catalog.family(one, framework) for one in asked if "*" not in text):
        if members:
            return _members_answer(text, members)
    return None


def _members_answer(text: str, members: list[FamilyMember]) -> dict[str, Any]:
    """Several names, or the metric that all of them are."""
    metrics = {member.metric for member in members}
    if len(metrics) == 1 and text == members[0].name.rpartition("/")[2]:
        found = catalog.resolve(members[0].name, framework=members[0].tools[0])
        metric = catalog.metric(found.metric) if found else None
        if found and metric:
            return _metric_answer(text, metric, found)
    return {"kind": "family", "members": _rows(members)}


def _setting(key: ConfigKey) -> dict[str, Any]:
    limits = [
        {"metric": metric.id, **fields(band, BAND)}
        for metric in catalog.METRICS.values()
        for band in metric.healthy
        if band.config_key == key.id
    ]
    names = list(key.aliases)
    return {"key": key.id, **fields(key, "meaning note"), "names": names, "limits": limits}


def _group(scenario: Scenario, group: WatchGroup) -> dict[str, Any]:
    return {
        "list": scenario.id,
        "of": scenario.title,
        **fields(group, "title note"),
        "metrics": [
            {**_short(one.metric), "names": list(one.names)}
            for one in catalog.listed(scenario, group)
        ],
    }


def _symptom_answer(text: str, symptoms: list[Symptom]) -> dict[str, Any]:
    told = [
        {
            "sign": one.sign,
            "check_first": [_short(i) for i in one.check_first],
            "then_check": [_short(i) for i in one.then_check],
            **fields(one, "likely advice rules source"),
        }
        for one in symptoms
    ]
    return {"kind": "symptom", "term": _term(text), "symptoms": told}


def _claims(candidates: list[tuple[str, Alias]], framework: str | None) -> list[dict[str, Any]]:
    wanted = catalog.find_framework(framework) if framework else None
    return [
        {
            "framework": tool,
            **fields(alias, "metric algorithms versions"),
            "meaning": _short(alias.metric or "")["meaning"],
        }
        for tool, alias in candidates
        if wanted is None or tool == wanted
    ]


def _metric_answer(name: str, metric: Metric, found: Resolution) -> dict[str, Any]:
    base = catalog.METRICS.get(metric.id.removeprefix("eval/"), metric)
    names = [
        {
            "framework": tool.id,
            "title": tool.title,
            **fields(alias, "name algorithms scale transform versions note"),
        }
        for tool in catalog.FRAMEWORKS.values()
        for alias in tool.aliases
        if alias.metric == metric.id
    ]
    return {
        "kind": "metric",
        "term": _term(name),
        "metric": metric.id,
        **fields(metric, "title meaning unit direction category"),
        "group": catalog.group_of(metric.id),
        "matched": {
            **fields(found, "how framework"),
            "labels": dict(found.labels),
            **fields(found, "scale transform"),
            "note": found.alias.note if found.alias else "",
        },
        "healthy": [fields(band, BAND) for band in metric.healthy],
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
        **({} if name == metric.id else _beside_metric(name, by_words=found.how == "words")),
    }


def _beside_metric(name: str, *, by_words: bool) -> dict[str, Any]:
    """What else goes by the name; lists only where the words could as well be a heading."""
    beside = _beside(name, None)
    return beside if by_words else beside | {"groups": []}


def _short(metric_id: str) -> dict[str, str]:
    found = catalog.metric(metric_id)
    return {"metric": metric_id, "meaning": found.meaning if found else ""}


# tools


def tool_named(text: str) -> Framework | None:
    """The tool with exactly this name, in any case."""
    found = catalog.find_framework(text)
    if found is None:
        return None
    tool = catalog.FRAMEWORKS[found]
    names = (tool.id, tool.title, *tool.names)
    return tool if text.casefold() in [name.casefold() for name in names] else None


def tool_answer(tool: Framework) -> dict[str, Any]:
    """How a tool names what most tools log, and where its numbers differ from those of others."""
    rows = [
        {"meaning": meaning, "names": [fields(alias, NAMED) for alias in _of(tool, ids)]}
        for meaning, ids in catalog.COMPARED.items()
    ]
    differs = [
        {**fields(alias, NAMED), "how": _difference(alias)}
        for alias in _aliases(tool)
        if _difference(alias)
    ]
    return {
        "kind": "tool",
        "tool": tool.id,
        **fields(tool, "title version"),
        "count": len(_aliases(tool)),
        "inherits": list(tool.inherits),
        "names": [row for row in rows if row["names"]],
        "not_logged": [str(row["meaning"]) for row in rows if not row["names"]],
        "differs": differs,
    }


def framework_table(metrics: tuple[str, ...]) -> list[dict[str, Any]]:
    """Which tool logs any of these metrics under which name, metric by metric."""
    return [
        {"metric": id, "framework": tool.id, "title": tool.title, **fields(alias, NAMED)}
        for id in metrics
        for tool in catalog.FRAMEWORKS.values()
        for alias in tool.aliases
        if alias.metric == id
    ]


def _aliases(tool: Framework) -> tuple[Alias, ...]:
    inherited = [a for id in tool.inherits for a in catalog.FRAMEWORKS[id].aliases]
    return (*tool.aliases, *inherited)


def _of(tool: Framework, ids: tuple[str, ...]) -> list[Alias]:
    """Its names for these metrics, each once."""
    found = {alias.name: alias for alias in reversed(_aliases(tool)) if alias.metric in ids}
    return list(reversed(found.values()))


def _difference(alias: Alias) -> str:
    if alias.transform:
        return f"canonical value = {alias.transform}"
    if alias.scale == -1.0:
        return "sign reversed"
    return "" if alias.scale == 1.0 else f"canonical value = {alias.scale:g} * logged value"
