"""Names that people give in loops of their own: read where the numbers agree, left alone where not.

Each case is a small log as somebody would write it, opened as any log is.
"""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest

import runvitals as rv
from runvitals.rules.outcome.roles import CANDIDATES

ROWS = 40
RISING = np.linspace(0.0, 1.0, ROWS)
NOISE = np.random.default_rng(7).normal(size=ROWS)

# numbers as a run of each kind logs them
LOSS = 2.5 * np.exp(-3 * RISING) + 0.2 + 0.02 * np.abs(NOISE)
RETURN = -200 + 380 * RISING + 15 * NOISE
REWARD = 0.2 + 0.5 * RISING + 0.02 * NOISE
SHARE = np.clip(0.1 + 0.8 * RISING + 0.02 * NOISE, 0, 1)
WON = (NOISE + 3 * RISING > 1).astype(float)
SCORE = 12 + 30 * RISING + NOISE
SPREAD = 5 + np.abs(NOISE)
MARGIN = 0.01 + 1.5 * RISING + 0.01 * NOISE
KL = 0.004 + 0.05 * RISING + 0.001 * np.abs(NOISE)
ENTROPY = 1.6 - 1.1 * RISING + 0.02 * NOISE
NORM = 0.8 + 0.2 * np.abs(NOISE)
LENGTH = np.round(180 - 90 * RISING + 4 * NOISE)
COUNT = np.arange(ROWS, dtype=float)
EPOCH = 3 * RISING
ERROR = 40 * np.exp(-2 * RISING) + 4 + np.abs(NOISE)
PERPLEXITY = 60 * np.exp(-2 * RISING) + 8 + 0.1 * np.abs(NOISE)
RATE = 3e-4 * (1 - 0.9 * RISING)

TRAINING_LOSS = {"optim/loss", "lm/loss"}
HELD_OUT_LOSS = {"eval/loss", "eval/lm/loss"}
EARNED = {"outcome/return_mean", "reward/mean", "reward/score_mean"}
SOLVED = {"outcome/success_rate", "outcome/score_mean"}
ERROR_OF_A_FIT = {"eval/loss", "eval/supervised/metric", "eval/supervised/error"}
ANY_SPREAD = {"reward/std", "outcome/return_std", "reward/group_std_mean"}
POLICY_MOVED = {"policy/approx_kl", "policy/kl_old", "policy/kl_ref"}

MUST = [
    ("loss", LOSS, TRAINING_LOSS),
    ("train/loss", LOSS, TRAINING_LOSS),
    ("Train/Loss", LOSS, TRAINING_LOSS),
    ("train_loss", LOSS, TRAINING_LOSS),
    ("Train Loss", LOSS, TRAINING_LOSS),
    ("tr_loss", LOSS, TRAINING_LOSS),
    ("val_loss", LOSS, HELD_OUT_LOSS),
    ("validation_loss", LOSS, HELD_OUT_LOSS),
    ("eval/nll", LOSS, HELD_OUT_LOSS),
    ("dev_ppl", PERPLEXITY, {"eval/perplexity", "eval/lm/perplexity"}),
    ("val_mse", ERROR, ERROR_OF_A_FIT),
    ("Val RMSE", ERROR, ERROR_OF_A_FIT),
    ("mean_reward", RETURN, EARNED),
    ("train/reward", RETURN, EARNED),
    ("Train/Reward", RETURN, EARNED),
    ("avg_reward_100", RETURN, EARNED),
    ("ep_ret", RETURN, {"outcome/return_mean"}),
    ("env_reward", RETURN, EARNED | {"reward/extrinsic_mean"}),
    ("shaped_reward", RETURN, {"outcome/return_shaped_mean", "reward/mean"}),
    ("reward/avg_raw_reward", REWARD, EARNED),
    ("reward_std", SPREAD, ANY_SPREAD),
    ("success", WON, SOLVED),
    ("is_success", WON, SOLVED),
    ("accuracy", SHARE, SOLVED | {"supervised/accuracy"}),
    ("train_acc", SHARE, SOLVED | {"supervised/accuracy"}),
    ("val_acc", SHARE, {"eval/supervised/accuracy", "eval/success_rate", "eval/score_mean"}),
    ("train/correct_rate", SHARE, SOLVED | {"supervised/accuracy"}),
    ("Avg_Final_Score_100", SCORE, {"outcome/score_mean"}),
    ("score", SCORE, {"outcome/score_mean", "outcome/return_mean"}),
    ("avg_margin", MARGIN, {"preference/margin"}),
    ("kl_div", KL, POLICY_MOVED),
    ("train/entropy", ENTROPY, {"policy/entropy"}),
    ("gradnorm", NORM, {"optim/grad_norm", "policy/grad_norm"}),
    ("Train/Length", LENGTH, {"outcome/episode_length_mean"}),
    ("Episode", COUNT, {"progress/episodes"}),
    ("epoch", EPOCH, {"progress/epoch"}),
]

# What stands beside a name in the logs it is found in; where a name needs no company it has none.
BESIDE = {
    "success": {"return": RETURN, "length": LENGTH},
    "is_success": {"ep_reward": RETURN},
    "accuracy": {"loss": LOSS},
    "train_acc": {"train_loss": LOSS},
    "val_acc": {"val_loss": LOSS},
    "train/correct_rate": {"train/loss": LOSS, "train/mean_completion_length": LENGTH},
    "score": {"episode_num": COUNT, "epsilon": 1 - 0.9 * RISING},
    "avg_margin": {"epoch": EPOCH, "misranked_ratio": 0.5 - 0.4 * RISING},
    "kl_div": {"loss": LOSS, "mean_reward": REWARD, "response_len": LENGTH},
    "train/entropy": {"train/policy_loss": LOSS, "train/reward": RETURN},
    "gradnorm": {"loss": LOSS, "lr": RATE},
    "Train/Length": {"Train/Reward": RETURN},
    "Episode": {"Avg reward": RETURN},
    "reward_std": {"reward": REWARD, "kl": KL},
    "shaped_reward": {"env_reward": RETURN},
}


def write_csv(path, columns, step="step"):
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow([step, *columns])
        for i in range(ROWS):
            rows.writerow([i * 10, *(f"{values[i]:.6g}" for values in columns.values())])
    return path


def write_jsonl(path, columns, step="step"):
    lines = ({step: i * 10, **{k: float(v[i]) for k, v in columns.items()}} for i in range(ROWS))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("write", [write_csv, write_jsonl], ids=["csv", "jsonl"])
@pytest.mark.parametrize(("name", "values", "right"), MUST, ids=[name for name, *_ in MUST])
def test_a_plain_name_is_understood(tmp_path, write, name, values, right):
    suffix = "csv" if write is write_csv else "jsonl"
    run = rv.open_run(write(tmp_path / f"log.{suffix}", {name: values, **BESIDE.get(name, {})}))

    assert name in run.bindings, "not understood"
    assert run.bindings[name].metric in right


@pytest.mark.parametrize("step", ["iter", "iteration", "global_step"])
def test_a_loss_beside_a_count_of_iterations_is_the_training_loss(tmp_path, step):
    run = rv.open_run(write_csv(tmp_path / "log.csv", {"loss": LOSS}, step=step))

    assert run.bindings["loss"].metric in TRAINING_LOSS


def test_a_tool_is_not_told_by_a_name_that_it_writes_otherwise(tmp_path):
    """Only axolotl logs `ppl`, and `eval_ppl`; `val_ppl` is anybody's."""
    columns = {"train_loss": LOSS, "val_loss": LOSS, "val_ppl": np.exp(LOSS), "lr": 1e-4 + 0 * LOSS}

    run = rv.open_run(write_csv(tmp_path / "log.csv", columns))

    assert run.framework is None
    assert run.algorithm is None
    assert run.bindings["train_loss"].metric == "lm/loss"
    assert run.bindings["val_loss"].metric == "eval/loss"


def test_scores_of_positive_and_negative_answers_are_those_of_a_reward_model(tmp_path):
    columns = {"Loss": LOSS, "Positive Score": SHARE, "Negative Score": SHARE}

    run = rv.open_run(write_csv(tmp_path / "log.csv", columns, step="update"))

    bound = {name: binding.metric for name, binding in run.bindings.items()}
    assert bound["Loss"] == "rm/loss"
    assert bound["Positive Score"] == "rm/score_chosen_mean"
    assert bound["Negative Score"] == "rm/score_rejected_mean"


def test_names_of_two_trainers_of_a_tool_are_not_taken_for_that_tool(tmp_path):
    """TRL's reward trainer logs `mean_reward`, its GRPO trainer `completion_length`; never both."""
    columns = {"loss": LOSS, "mean_reward": REWARD, "completion_length": LENGTH, "kl_div": KL}

    run = rv.open_run(write_csv(tmp_path / "log.csv", columns))

    assert run.framework is None
    assert run.bindings["mean_reward"].metric in EARNED
    assert run.bindings["completion_length"].metric == "length/response_mean"
    assert run.bindings["kl_div"].metric == "policy/kl_ref"


def lies_within(run, metric, low, high):
    found = [series.values for series in run.select(metric)]
    return all(low <= np.min(values) and np.max(values) <= high for values in found)


@pytest.mark.parametrize("name", ["success", "is_success", "success_rate", "val_acc", "accuracy"])
def test_a_share_lies_between_nought_and_one(tmp_path, name):
    """37 may be percent, then it is read as 0.37; a number that can be neither is not a share."""
    for values in (37 + 50 * RISING, 37 + 900 * RISING, -3 + 2 * RISING):
        run = rv.open_run(write_csv(tmp_path / "log.csv", {name: values, "reward": RETURN}))

        for metric in {bound.metric for bound in run.bindings.values()}:
            if metric.endswith(("success_rate", "accuracy", "win_rate")):
                assert lies_within(run, metric, 0, 1), metric


DISAGREE = [
    ("learning_rate", -3 + RISING, "learning_rate"),
    ("lr", 40 + 10 * RISING, "learning_rate"),
    ("gradnorm", -NORM, "grad_norm"),
    ("reward_std", -SPREAD, "std"),
    ("Train/Length", -LENGTH, "episode_length_mean"),
    ("Episode", 50 * np.abs(NOISE), "episodes"),
    ("epoch", EPOCH[::-1], "epoch"),
    ("dev_ppl", 0.01 + 0.5 * RISING, "perplexity"),
    ("val_mse", -ERROR, "loss"),
    ("elapsed_time", 17 + 3 * NOISE, "elapsed_s"),
    ("total_tokens", 58_000 + 2_000 * NOISE, "tokens"),
    ("total_timesteps", 200 + 60 * NOISE, "env_steps"),
    ("kl_div", -5 - KL, "approx_kl"),
    ("epsilon", 40 + 3 * NOISE, "epsilon"),
    ("clip_fraction", 12 + NOISE, "clip_fraction"),
]


@pytest.mark.parametrize(
    ("name", "values", "ending"), DISAGREE, ids=[name for name, *_ in DISAGREE]
)
def test_numbers_that_cannot_be_what_the_name_says_are_not_read_so(tmp_path, name, values, ending):
    run = rv.open_run(write_csv(tmp_path / "log.csv", {name: values, "zorp": NOISE}))

    bound = run.bindings.get(name)
    assert bound is None or not bound.metric.endswith(f"/{ending}"), bound


@pytest.mark.parametrize(
    "name",
    ["Throughput", "Delay", "AcceptanceRate", "Coverage", "EnergyEfficiency", "baseline_reward",
     "fpr", "seed", "ground_truth", "final_energy", "reward_per_time", "Utilization"],
)  # fmt: skip
def test_names_of_the_task_are_not_taken_for_those_of_the_trainer(tmp_path, name):
    columns = {"Episode": COUNT, "Reward": RETURN, name: SHARE}

    run = rv.open_run(write_csv(tmp_path / "log.csv", columns))

    bound = run.bindings.get(name)
    assert bound is None or bound.metric in {"env/metric", "outcome/score_mean"}, bound


def test_what_was_read_by_words_says_so(tmp_path):
    run = rv.open_run(write_csv(tmp_path / "log.csv", {"Train/Reward": RETURN, "Train/Loss": LOSS}))

    assert {bound.how for bound in run.bindings.values()} <= {"words", "siblings", "agreed"}
    assert all(bound.sure != "certain" for bound in run.bindings.values())


def test_numbers_without_one_finite_value_agree_with_nothing(tmp_path):
    values = np.full(ROWS, math.nan)

    run = rv.open_run(write_jsonl(tmp_path / "log.jsonl", {"my_success": values, "x": NOISE}))

    assert run.bindings.get("my_success") is None or len(run["my_success"]) == ROWS


def test_a_policy_loss_is_never_the_outcome(tmp_path):
    """A log whose returns are called `R` fell back on the loss of its policy."""
    columns = {"episode": COUNT, "R_mean": RETURN, "policy_loss": LOSS, "loss": LOSS}

    run = rv.open_run(write_csv(tmp_path / "log.csv", columns))

    assert run.bindings["R_mean"].metric == "outcome/return_mean"
    assert run.bindings["policy_loss"].metric not in dict(CANDIDATES)
    assert "R_mean" in str(rv.judge(run).verdict)


def test_a_setting_that_went_through_32_bits_is_as_it_was_written(tmp_path):
    rates = np.full(ROWS, float(np.float32(0.01)))

    run = rv.open_run(write_jsonl(tmp_path / "log.jsonl", {"loss": LOSS, "learning_rate": rates}))

    assert run.settings["learning_rate"] == 0.01


def metrics_of(tmp_path, header, *columns):
    path = tmp_path / "log.csv"
    rows = zip(*columns, strict=True)
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]))
    [run] = rv.open_runs(path)
    return {name: bound.metric for name, bound in run.bindings.items()}


def test_a_loop_that_plays_and_prints_a_bare_mean_means_its_return(tmp_path):
    found = metrics_of(tmp_path, "Episode,Mean100,Steps", COUNT, RETURN, LENGTH)

    assert found["Mean100"] == "outcome/return_mean"


def test_a_bare_mean_beside_a_reward_is_not_guessed(tmp_path):
    assert "mean" not in metrics_of(tmp_path, "episode,reward,mean", COUNT, RETURN, SCORE)


def test_epochs_and_a_loss_alone_are_no_reinforcement_learning(tmp_path):
    found = metrics_of(tmp_path, "Epoch,Batch,Loss", COUNT // 8, COUNT, LOSS)

    assert found["Loss"] == "optim/loss"


def test_results_of_a_detector_are_scores_and_losses(tmp_path):
    header = "epoch,train/box_loss,metrics/mAP50(B),metrics/mAP50-95(B),val/box_loss,lr/pg0"

    found = metrics_of(tmp_path, header, COUNT, LOSS, SHARE, 0.6 * SHARE, LOSS, RATE)

    assert found["metrics/mAP50-95(B)"] == "eval/supervised/score"
    assert (found["train/box_loss"], found["val/box_loss"]) == ("optim/loss", "eval/loss")
    assert found["lr/pg0"] == "optim/learning_rate"
