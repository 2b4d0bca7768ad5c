"""The Grafana dashboard asks questions that the index answers."""

from __future__ import annotations

import json
from pathlib import Path

from tests.fleet.conftest import record

from runvitals.diagnosis.judge import Settings
from runvitals.index.filling import Filler

DASHBOARD = Path(__file__).parents[2] / "examples" / "grafana" / "runvitals.json"
FILLED_IN = {
    "${project}": "cartpole",
    "${run}": "cartpole/a",
    "${metric}": "policy/entropy",
    "$__fromTime": "toDateTime(0)",
    "$__toTime": "now() + INTERVAL 1 DAY",
}


def test_every_panel_and_every_list_has_an_answer(database, tmp_path):
    record(tmp_path / "runs" / "a", sick=True, learning_rate=0.05)
    Filler(database, Settings(), workers=1).fill(tmp_path / "runs")
    dashboard = json.loads(DASHBOARD.read_text())
    asked = [target["rawSql"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [v["query"] for v in dashboard["templating"]["list"] if v["type"] == "query"]

    for sql in asked:
        for variable, value in {**FILLED_IN, "${database}": database.name}.items():
            sql = sql.replace(variable, value)
        assert "$" not in sql
        assert database.rows(sql), sql
