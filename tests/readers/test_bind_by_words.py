"""Everything that is believed about a name is in the bindings of its run."""

import json

import numpy as np

from runvitals import open_run
from runvitals.model import PointTable, RowBlock
from runvitals.model.points.table import GLIMPSE
from runvitals.rules.patient import Patient


def log(folder, rows):
    path = folder / "training.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_an_outcome_that_no_tool_explains_is_bound(tmp_path):
    rows = [{"iter": i, "Train/Reward": 0.01 * i, "Train/Odd": i % 7} for i in range(60)]

    run = open_run(log(tmp_path, rows))

    binding = run.bindings["Train/Reward"]
    assert (binding.metric, binding.how) == ("reward/mean", "words")
    assert Patient(run).outcome.series.name == "Train/Reward"
    assert "Train/Odd" not in run.bindings


def test_success_in_percent_is_read_as_a_share(tmp_path):
    rows = [{"step": i, "reward": 0.1 * i, "success": 80.0 * i / 60} for i in range(60)]

    run = open_run(log(tmp_path, rows))

    assert run["outcome/success_rate"].values.max() <= 1.0
    assert run["success"].values.max() > 50


def test_a_test_at_the_end_does_not_stand_for_the_validations_before_it(tmp_path):
    rows = [{"episode": i, "validation/mean_score": 100.0 + 2 * i} for i in range(30)]
    rows.append({"episode": 30, "test/mean_score": 150.0})

    run = open_run(log(tmp_path, rows))

    assert len(run["eval/score_mean"]) == 30
    assert run.bindings["test/mean_score"].labels == {"name": "test/mean_score"}


def test_the_plainest_of_two_names_of_one_metric_stands_for_it(tmp_path):
    rng = np.random.default_rng(0)
    rows = [{"iter": i, "loss": rng.random(), "loss_total": rng.random()} for i in range(30)]

    run = open_run(log(tmp_path, rows))

    assert run["optim/loss"].name == "loss"
    assert run.bindings["loss_total"].labels == {"name": "loss_total"}


def test_what_the_user_says_is_certain(tmp_path):
    rows = [{"iter": i, "foo": 0.01 * i} for i in range(30)]

    run = open_run(log(tmp_path, rows), names={"foo": "outcome/score_mean"})

    assert (run.bindings["foo"].how, run.bindings["foo"].sure) == ("told", "certain")


def test_a_glimpse_of_a_long_series_is_its_beginning_and_its_end():
    table = PointTable()
    values = np.arange(3.0 * GLIMPSE)
    steps = np.arange(len(values))
    table.add(RowBlock(("loss",), steps, np.zeros(len(values)), values[:, None]))

    seen = table.glimpse("loss")

    assert len(seen) == GLIMPSE
    assert (seen[0], seen[-1]) == (values[0], values[-1])
