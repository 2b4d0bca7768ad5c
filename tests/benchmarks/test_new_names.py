"""Names of metrics are found in the source of a framework, and held against the catalog."""

from __future__ import annotations

import zipfile

from benchmarks.reading.new_names import names_in, not_understood, report

SOURCE = """
metrics["actor/pg_loss"] = 1.0
self._metrics[mode]["brand_new_number"].append(2.0)
log({"critic/unheard/of": 3.0, f"{prefix}rewards/chosen": 4.0, "model": net})
stats_tracker.stat(new_logp=logp)
logger.record("time/fps", 5)
state["optimizer_state"] = "text/plain"
"""


def test_what_fills_a_dictionary_of_metrics_is_a_name():
    found = names_in(SOURCE)

    assert found == {
        "actor/pg_loss",
        "brand_new_number",
        "critic/unheard/of",
        "rewards/chosen",
        "new_logp",
        "time/fps",
    }


def test_only_what_the_catalog_says_nothing_of_is_left():
    names = {"rewards/chosen", "rollout/inflight", "loss", "critic/unheard/of", "brand_new_number"}

    assert not_understood("trl", names) == ["brand_new_number", "critic/unheard/of"]


def test_a_wheel_is_read_where_it_makes_metrics(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "verl-9.9-py3-none-any.whl", "w") as wheel:
        wheel.writestr("verl/trainer/ppo.py", 'metrics["actor/unheard_of"] = 1\n')
        wheel.writestr("verl/models/net.py", 'metrics["elsewhere/number"] = 1\n')

    assert report(tmp_path) == 1
    assert "verl: 1 names, 1 left\n    actor/unheard_of" in capsys.readouterr().out
