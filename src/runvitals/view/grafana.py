"""A Grafana dashboard over the gauges, for a Prometheus data source."""

from typing import Any

WIDTH = 24  # of a row, in Grafana's units
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
MINE = 'project=~"$project",run_name=~"$run"'
DEFAULT_METRICS = ("policy/approx_kl", "policy/entropy", "optim/grad_norm", "policy/clip_fraction")
SEVERITY_COLOURS = {"critical": "red", "warning": "orange", "notice": "blue"}
WORD_COLOURS = {
    "learning": "green",
    "learned": "green",
    "stalled": "orange",
    "not learning": "orange",
    "overfitting": "orange",
    "collapsed": "red",
    "diverged": "red",
    "too early to tell": "text",
    "cannot tell": "text",
}


def dashboard() -> dict[str, Any]:
    """The dashboard as Grafana imports it; the data source is chosen in its head."""
    panels = [
        _stat("Running", f'count(runvitals_run_info{{{MINE},status="running"}}) or vector(0)'),
        _stat(
            "Runs with alarms",
            "count(max by (run) "
            f'(runvitals_open_findings{{{MINE},severity=~"critical|warning"}}) > 0) or vector(0)',
            alarm=True,
        ),
        _stat(
            "Longest silence of a running run",
            f"max((time() - runvitals_last_write_timestamp_seconds{{{MINE}}}) * on (run) "
            f'runvitals_run_info{{{MINE},status="running"}}) or vector(0)',
            unit="s",
        ),
        _stat("Metrics out of range", f"sum(runvitals_out_of_range{{{MINE}}}) or vector(0)"),
        _table(
            "Verdicts",
            f"runvitals_verdict{{{MINE}}} == 1",
            ["project", "run_name", "verdict"],
            colours={"verdict": WORD_COLOURS},
        ),
        _table(
            "Open findings",
            f"runvitals_finding{{{MINE}}} == 1",
            ["run_name", "severity", "code", "finding"],
            colours={"severity": SEVERITY_COLOURS},
        ),
        _lines("Outcome", f'runvitals_outcome{{{MINE},level="now"}}', "{{run_name}} {{series}}"),
        _lines("Alarms", f"sum by (run_name, severity) (runvitals_open_findings{{{MINE}}})"),
        _lines("Steps per second", f"runvitals_steps_per_second{{{MINE}}}"),
        _lines(
            "Share of the planned steps",
            f"runvitals_last_step{{{MINE}}} / runvitals_planned_steps{{{MINE}}}",
            unit="percentunit",
        ),
        _lines(
            "$metric",
            f'runvitals_value{{{MINE},metric="$metric"}}',
            "{{run_name}} {{series}}",
            repeat="metric",
        ),
    ]
    return {
        "title": "runvitals",
        "uid": "runvitals",
        "description": "Verdicts, open findings and current values of training runs.",
        "tags": ["runvitals", "training"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": _variables()},
        "panels": _placed(panels),
    }


def _variables() -> list[dict[str, Any]]:
    return [
        {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"},
        _variable("project", "label_values(runvitals_run_info, project)"),
        _variable("run", 'label_values(runvitals_run_info{project=~"$project"}, run_name)'),
        _variable(
            "metric",
            f'label_values(runvitals_value{{{MINE},metric!=""}}, metric)',
            chosen=DEFAULT_METRICS,
        ),
    ]


def _variable(name: str, query: str, chosen: tuple[str, ...] = ()) -> dict[str, Any]:
    now = list(chosen) or ["$__all"]
    return {
        "name": name,
        "label": name.capitalize(),
        "type": "query",
        "datasource": SOURCE,
        "query": {"query": query, "refId": name},
        "definition": query,
        "refresh": 2,  # whenever the time range changes
        "multi": True,
        "includeAll": True,
        **({} if chosen else {"allValue": ".*"}),
        "current": {"text": list(chosen) or ["All"], "value": now},
        "sort": 1,
    }


def _stat(title: str, query: str, *, unit: str = "none", alarm: bool = False) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [{"color": "green" if alarm else "text", "value": None}]
    if alarm:
        steps.append({"color": "red", "value": 1})
    return {
        **_panel("stat", title, query, width=6, height=4),
        "fieldConfig": {
            "defaults": {"unit": unit, "thresholds": {"mode": "absolute", "steps": steps}},
            "overrides": [],
        },
        "options": {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "value"},
    }


def _lines(
    title: str, query: str, legend: str = "{{run_name}}", *, unit: str = "none", repeat: str = ""
) -> dict[str, Any]:
    made = {
        **_panel("timeseries", title, query, width=12, height=8),
        "fieldConfig": {
            "defaults": {"unit": unit, "custom": {"lineWidth": 1, "showPoints": "never"}},
            "overrides": [],
        },
        "options": {"legend": {"displayMode": "list"}, "tooltip": {"mode": "multi"}},
    }
    made["targets"][0]["legendFormat"] = (
        f"{legend} {{{{severity}}}}" if "severity" in query else legend
    )
    if repeat:
        made |= {"repeat": repeat, "repeatDirection": "h", "maxPerRow": 2}
    return made


def _table(
    title: str, query: str, columns: list[str], colours: dict[str, dict[str, str]]
) -> dict[str, Any]:
    made = _panel("table", title, query, width=12, height=9)
    made["targets"][0] |= {"format": "table", "instant": True, "range": False}
    organise = {"include": {"names": columns}}
    order = {"indexByName": {name: place for place, name in enumerate(columns)}}
    made["transformations"] = [
        {"id": "filterFieldsByName", "options": organise},
        {"id": "organize", "options": order},
    ]
    overrides = [
        {
            "matcher": {"id": "byName", "options": column},
            "properties": [
                {"id": "custom.cellOptions", "value": {"type": "color-text"}},
                {"id": "mappings", "value": [{"type": "value", "options": _mapped(words)}]},
            ],
        }
        for column, words in colours.items()
    ]
    return {**made, "fieldConfig": {"defaults": {}, "overrides": overrides}}


def _mapped(words: dict[str, str]) -> dict[str, Any]:
    return {word: {"color": colour, "index": i} for i, (word, colour) in enumerate(words.items())}


def _panel(kind: str, title: str, query: str, *, width: int, height: int) -> dict[str, Any]:
    return {
        "type": kind,
        "title": title,
        "datasource": SOURCE,
        "gridPos": {"w": width, "h": height},
        "targets": [{"refId": "A", "datasource": SOURCE, "expr": query}],
    }


def _placed(panels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give each panel an id and its place, from left to right and top to bottom."""
    x = y = height = 0
    for number, panel in enumerate(panels, 1):
        place = panel["gridPos"]
        if x + place["w"] > WIDTH:
            x, y, height = 0, y + height, 0
        panel["id"] = number
        panel["gridPos"] = {"x": x, "y": y, **place}
        x, height = x + place["w"], max(height, place["h"])
    return panels
