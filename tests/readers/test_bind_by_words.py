"""Everything that is believed about a name is in the bindings of its run."""

import json

import numpy as np
import pytest

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


def test_the_losses_of_a_generator_and_its_discriminator_are_no_outcome(tmp_path):
    rows = "".join(f"{i},{2 - i / 100},{0.5 + i / 100},{3 - i / 50}\n" for i in range(100))
    (tmp_path / "log.csv").write_text("epoch,G_loss,D_loss,loss\n" + rows)

    run = open_run(tmp_path / "log.csv")

    assert run.bindings["G_loss"].metric == "aux/generator_loss"
    assert run.bindings["D_loss"].metric == "aux/discriminator_loss"
    assert Patient(run).outcome is None


def test_the_average_amount_of_a_win_is_not_the_share_of_wins(tmp_path):
    rows = "".join(f"{i},{10 + i % 3},{-4.0},{i / 100}\n" for i in range(60))
    (tmp_path / "log.csv").write_text("episode,avg_win,avg_loss,win_rate\n" + rows)

    run = open_run(tmp_path / "log.csv")

    assert "avg_win" not in run.bindings
    assert run.bindings["win_rate"].labels == {}


def test_the_accuracy_of_all_stands_before_those_of_numbered_parts(tmp_path):
    parts = [f"valid_sums_acc_{i}" for i in range(1, 12)]
    head = ",".join(["epoch", "valid_loss", *parts, "valid_sums_acc"])
    rows = "".join(f"{i},{1 / (i + 1)},{','.join(['0.1'] * 11)},{i / 60}\n" for i in range(50))
    (tmp_path / "log.csv").write_text(f"{head}\n{rows}")

    run = open_run(tmp_path / "log.csv")

    assert run["eval/supervised/accuracy"].name == "valid_sums_acc"
    assert run.bindings["valid_sums_acc_7"].labels == {"of": "sums", "index": "7"}


@pytest.mark.parametrize(
    ("names", "total"),
    [
        (("rewards/json/mean", "rewards/reward/mean"), "rewards/reward/mean"),
        (("rewards/json/mean",), "rewards/json/mean"),
        (("rewards/json/mean", "rewards/code/mean"), None),
        (("rewards/json/mean", "rewards/reward/mean", "reward"), "reward"),
    ],
)
def test_a_log_without_a_total_reward_has_that_of_the_function_called_so(tmp_path, names, total):
    head = ",".join(["step", "completions/mean_length", "kl", "frac_reward_zero_std", *names])
    rows = "".join(f"{i},80,0.01,0.1{f',0.{i}' * len(names)}\n" for i in range(10, 60))
    (tmp_path / "log.csv").write_text(f"{head}\n{rows}")

    run = open_run(tmp_path / "log.csv", framework="trl", algorithm="GRPO")

    found = [n for n, b in run.bindings.items() if b.metric in ("reward/mean", "reward/score_mean")]
    assert found == ([] if total is None else [total])
