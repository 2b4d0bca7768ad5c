"""Tool, algorithm and settings of an opened run, and what they rest on."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.readers.logs import events

import runvitals as rv


def state(folder, rows, name="trainer_state.json"):
    folder.mkdir(parents=True, exist_ok=True)
    history = [{"step": step, **row} for step, row in enumerate(rows, 1)]
    (folder / name).write_text(json.dumps({"log_history": history, "global_step": len(history)}))
    return folder


ROWS = [{"loss": 2.0 / n, "learning_rate": 1e-4, "epoch": n / 10} for n in range(1, 9)]


def test_a_trainer_state_is_always_the_trainers(tmp_path):
    run = rv.open_run(state(tmp_path / "checkpoint-8", ROWS))

    assert run.framework == "transformers"
    assert run.bindings["loss"].metric == "optim/loss"


@pytest.mark.parametrize(
    ("file", "content", "metric"),
    [
        ("adapter_config.json", {"task_type": "CAUSAL_LM"}, "lm/loss"),
        ("config.json", {"architectures": ["Qwen2ForCausalLM"]}, "lm/loss"),
        ("config.json", {"architectures": ["BertForSequenceClassification"]}, "optim/loss"),
    ],
)
def test_the_model_beside_it_tells_what_the_loss_is_of(tmp_path, file, content, metric):
    folder = state(tmp_path / "checkpoint-8", ROWS)
    (folder / file).write_text(json.dumps(content))

    run = rv.open_run(folder)

    assert run.bindings["loss"].metric == metric
    assert run.algorithm == ("SFT" if metric == "lm/loss" else None)


def test_a_model_card_tells_the_algorithm(tmp_path):
    folder = state(tmp_path / "out" / "checkpoint-8", ROWS)
    (tmp_path / "out" / "README.md").write_text("---\ntags:\n- trl\n- orpo\n---\n# A model\n")

    assert rv.open_run(folder).algorithm == "ORPO"


def test_a_logged_learning_rate_is_a_setting(tmp_path):
    lines = [
        "rollout/ep_rew_mean,time/fps,time/total_timesteps,train/learning_rate,train/clip_range"
    ]
    lines += [f"{n},100,{n * 100},{0.1 - n / 1000},{0.2 - n / 100}" for n in range(9)]
    (tmp_path / "progress.csv").write_text("\n".join(lines) + "\n")

    run = rv.open_run(tmp_path)

    assert run.settings["learning_rate"] == pytest.approx(0.1)
    assert run.settings["clip_range"] == pytest.approx(0.2)
    assert run.evidence["settings"] == [
        "logged: learning_rate is the highest train/learning_rate",
        "logged: clip_range is the first train/clip_range",
    ]


def test_what_the_config_says_comes_before_what_was_logged(tmp_path):
    folder = state(tmp_path / "run", ROWS)
    (folder / "args.json").write_text('{"learning_rate": 5e-5}')

    assert rv.open_run(folder).settings["learning_rate"] == 5e-5


def test_a_weight_that_moves_and_a_rate_rounded_to_zero_are_no_settings(tmp_path):
    names = "rollout/ep_rew_mean,time/total_timesteps,train/ent_coef,train/learning_rate"
    lines = [names, *(f"{n},{n * 100},{1 / (n + 1)},0.0" for n in range(9))]
    (tmp_path / "progress.csv").write_text("\n".join(lines) + "\n")

    run = rv.open_run(tmp_path)

    assert not run.settings.keys() & {"entropy_coef", "learning_rate"}


def test_a_setting_of_an_event_file_is_the_decimal_that_was_set(tmp_path):
    events(tmp_path, np.full((5, 1), 0.01), names=("train/learning_rate",))

    run = rv.open_run(tmp_path)

    assert run["train/learning_rate"].values[0] != 0.01  # single precision
    assert run.settings["learning_rate"] == 0.01
