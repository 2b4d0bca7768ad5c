"""JSON lines and whole histories in one document."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runvitals as rv
from runvitals.model import ReadError
from runvitals.readers.log import Log
from runvitals.readers.raw.source import head
from runvitals.readers.tabular import json_history, json_lines, rllib


def lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def only(path: Path) -> Log:
    [log] = json_lines.read(path)
    return log


def column(log: Log, name: str) -> tuple[list[int], list[float]]:
    steps, _, values = log.points.column(name)
    return steps.tolist(), values.tolist()


def test_nested_objects_are_flattened(tmp_path):
    rows = [
        {"step": i, "reward": {"total": i, "parts": {"fmt": 1}}, "done": i == 2} for i in range(3)
    ]
    path = lines(tmp_path / "log.jsonl", rows)

    log = only(path)

    assert json_lines.sniff(path, head(path)) == 55
    assert column(log, "reward/total") == ([0, 1, 2], [0, 1, 2])
    assert column(log, "reward/parts/fmt")[1] == [1, 1, 1]
    assert column(log, "done")[1] == [0, 0, 1]


def test_bare_nan_and_infinity_are_values(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"step": 1, "loss": NaN}\n{"step": 2, "loss": -Infinity}\n{"step": 3, "loss": null}\n'
        '{"step": 4, "loss": "nan"}\n{"step": 5, "loss": "None"}\n'
    )

    steps, values = column(only(path), "loss")

    assert steps == [1, 2, 4]
    assert math.isnan(values[0])
    assert values[1] == -math.inf


def test_bad_lines_are_named_and_left_out(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"step": 1, "loss": 1}\nTraceback\n[1]\n\n{"step": 2, "loss": 2}\n{"step": 3, "lo'
    )

    log = only(path)

    assert column(log, "loss") == ([1, 2], [1, 2])
    assert log.warnings == [
        "log.jsonl: the last line is not complete; it was kept out",
        "log.jsonl: line 2 is no JSON object, and 1 more such lines; left out",
    ]


def test_deep_nesting_is_left_out(tmp_path):
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    nan = '{"a":' * 100_000 + "NaN" + "}" * 100_000
    path = tmp_path / "log.jsonl"
    path.write_text(f'{{"step": 1, "loss": 1}}\n{deep}\n{nan}\n{{"step": 2, "loss": 2}}\n')

    log = only(path)

    assert column(log, "loss") == ([1, 2], [1, 2])
    assert "line 2 is no JSON object, and 1 more" in log.warnings[0]


def test_configurations_are_no_series(tmp_path):
    rows: list[Any] = [
        {"config": {"lr": 0.1, "net": {"layers": [64, 64]}}, "algo": "ppo", "seed": 3}
    ]
    rows += [{"step": i, "loss": i, "config": {"lr": 0.1}, "env": "Ant"} for i in range(5)]

    log = only(lines(tmp_path / "log.jsonl", rows))

    assert log.config == {"lr": 0.1, "net.layers": [64, 64], "algo": "ppo", "seed": 3, "env": "Ant"}
    assert log.points.names() == ["loss"]


def test_llama_factory(tmp_path):
    rows = [
        {"current_steps": 10 * i, "total_steps": 50, "loss": 1 / i, "eval_loss": None,
         "percentage": 20.0 * i, "elapsed_time": f"{i} days, 0:00:01", "remaining_time": "0:00:01"}
        for i in range(1, 6)
    ]  # fmt: skip
    path = lines(tmp_path / "trainer_log.jsonl", rows)

    log = only(path)

    assert json_lines.sniff(path, head(path)) == 94
    assert log.framework == "llamafactory"
    assert column(log, "loss")[0] == [10, 20, 30, 40, 50]
    assert column(log, "elapsed_time")[1] == [86400.0 * i + 1 for i in range(1, 6)]
    assert "eval_loss" not in log.points.names()


def test_llama_factory_without_metrics_and_with_two_runs(tmp_path):
    rows = [
        {"current_steps": i, "total_steps": 50 if i < 5 else 90, "percentage": 2.0 * i}
        for i in range(9)
    ]

    log = only(lines(tmp_path / "trainer_log.jsonl", rows))

    assert any("no metric" in warning for warning in log.warnings)
    assert any("total_steps goes from 50 to 90" in warning for warning in log.warnings)


def test_verl_file_logger(tmp_path):
    rows = [{"step": i, "data": {"actor/pg_loss": i / 2, "critic/score/mean": i}} for i in range(4)]
    path = lines(tmp_path / "exp.jsonl", rows)

    log = only(path)

    assert log.framework == "verl"
    assert column(log, "actor/pg_loss") == ([0, 1, 2, 3], [0, 0.5, 1, 1.5])


def test_ms_swift_counts_in_a_text(tmp_path):
    rows = [
        {"loss": i, "global_step/max_steps": f"{i * 5}/300", "elapsed_time": "1m 3s"}
        for i in range(4)
    ]

    log = only(lines(tmp_path / "logging.jsonl", rows))

    assert (log.framework, column(log, "loss")[0]) == ("ms-swift", [0, 5, 10, 15])


def test_wandb_history(tmp_path):
    rows = [{"_step": i, "_timestamp": 1.7e9 + i, "_runtime": i, "loss": i} for i in range(4)]
    path = lines(tmp_path / "wandb-history.jsonl", rows)

    log = only(path)

    assert json_lines.sniff(path, head(path)) == 85
    assert log.points.column("loss")[1].tolist() == [1.7e9 + i for i in range(4)]


def test_sb3_progress_json(tmp_path):
    rows = [
        {"time/total_timesteps": i * 100, "time/fps": 9, "rollout/ep_rew_mean": i} for i in range(4)
    ]

    log = only(lines(tmp_path / "progress.json", rows))

    assert (log.framework, column(log, "rollout/ep_rew_mean")[0]) == (
        "stable-baselines3",
        [0, 100, 200, 300],
    )


@pytest.mark.parametrize(
    "rows",
    [
        [{"name": "a", "score": 3}, {"name": "b", "score": 4}],
        [{"prompt": "x", "completion": "y", "step": 5, "reward": 1}] * 6,
        [{"_step": 540, "_runtime": 72, "_timestamp": 1.7e9, "loss": 1, "_wandb": {"runtime": 72}}],
        [[1, 2], [3, 4]],
        ["text"],
        [{"version": "1.0", "dependencies": {"a": "1"}}],
        [{"learning_rate": 0.1, "batch_size": 3}],
    ],
    ids=["people", "samples of one step", "summary", "lists", "texts", "package", "config"],
)
def test_what_is_no_log_is_refused(tmp_path, rows):
    path = lines(tmp_path / "metrics.jsonl", rows)

    assert json_lines.sniff(path, head(path)) == 0
    assert json_history.sniff(path, head(path)) == 0


@pytest.mark.parametrize(("text", "problem"), [("", "empty"), ("hello\n", "no line is a JSON object"),
                                               ('{"a": "b"}\n', "no numbers")])  # fmt: skip
def test_says_what_is_wrong(tmp_path, text, problem):
    path = tmp_path / "log.jsonl"
    path.write_text(text)

    with pytest.raises(ReadError, match=problem):
        json_lines.read(path)


def test_rllib_results_with_their_params(tmp_path):
    rows = [
        {"training_iteration": i, "time_this_iter_s": 1.0, "num_env_steps_sampled_lifetime": i * 1000,
         "env_runners": {"episode_return_mean": i}, "hist_stats": {"r": [1, 2]}, "hostname": "h",
         "timers": {"training_iteration": 3.0}, "config": {"lr": 0.1, "model": {"fcnet": [8]}}}
        for i in range(1, 4)
    ]  # fmt: skip
    path = lines(tmp_path / "result.json", rows)
    (tmp_path / "params.json").write_text('{"gamma": 0.9}')

    [log] = rllib.read(path)

    assert rllib.sniff(path, head(path)) == 95
    assert json_lines.sniff(path, head(path)) == 0
    assert column(log, "env_runners/episode_return_mean") == ([1000, 2000, 3000], [1, 2, 3])
    assert log.config == {"lr": 0.1, "model.fcnet": [8], "gamma": 0.9}
    assert not any(name.startswith("config") for name in log.points.names())


def test_rllib_progress_csv(tmp_path):
    path = tmp_path / "progress.csv"
    path.write_text(
        "episode_reward_mean,timesteps_total,done,training_iteration,date,time_this_iter_s,timestamp,pid,"
        "hist_stats/episode_reward\n"
        'nan,4000,False,1,2021-02-06_16-31-42,1.5,1612625502,7,"[-21.0, 3]"\n'
        '-20.5,8000,False,2,2021-02-06_16-36-29,1.5,1612625789,7,"[]"\n'
    )

    [log] = rllib.read(path)

    steps, times, values = log.points.column("episode_reward_mean")
    assert (steps.tolist(), times.tolist()) == ([4000, 8000], [1612625502, 1612625789])
    assert math.isnan(values[0])
    assert not {"pid", "date", "hist_stats/episode_reward"} & set(log.points.names())


def test_dict_of_lists(tmp_path):
    path = tmp_path / "history.json"
    path.write_text(
        '{"loss": [NaN, 0.5, 0.25], "val_loss": [1, 2, 3], "best": 0.25, "params": {"lr": 1}}'
    )

    [log] = json_history.read(path)

    assert json_history.sniff(path, head(path)) == 48
    assert column(log, "val_loss") == ([0, 1, 2], [1, 2, 3])
    assert math.isnan(column(log, "loss")[1][0])
    assert log.config == {"best": 0.25, "lr": 1}


def test_lists_with_a_step_among_them(tmp_path):
    path = tmp_path / "history.json"
    path.write_text(
        json.dumps({"history": {"nb_steps": [100, 300, 900], "episode_reward": [1, 2, 3]}})
    )

    [log] = json_history.read(path)

    assert column(log, "history/episode_reward") == ([100, 300, 900], [1, 2, 3])


def test_rows_inside_a_document(tmp_path):
    path = tmp_path / "history.json"
    train = [{"step": i, "loss": i, "lr": 1} for i in range(6)]
    path.write_text(
        json.dumps({"metadata": {"run_name": "x"}, "raw": train, "loss": [{"step": 0, "loss": 0}],
                    "eval": [{"step": i, "eval_loss": i} for i in (2, 5)]})
    )  # fmt: skip

    [log] = json_history.read(path)

    assert json_history.sniff(path, head(path)) >= 40
    assert column(log, "loss") == ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5])
    assert column(log, "eval_loss") == ([2, 5], [2, 5])
    assert log.config == {"run_name": "x"}


def test_a_list_of_rows(tmp_path):
    path = tmp_path / "history.json"
    path.write_text(json.dumps([{"epoch": i, "loss": i} for i in range(4)], indent=1))

    [log] = json_history.read(path)

    assert json_history.sniff(path, head(path)) == 50
    assert column(log, "loss")[0] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "document",
    [
        {"name": "x", "version": "1", "files": ["a", "b"]},
        {"vocab": [1, 2, 3, 4], "ids": [5, 6, 7]},
        [{"name": "a", "stars": 3}, {"name": "b", "stars": 9}],
        {"log_history": [{"step": 1, "loss": 1}, {"step": 2, "loss": 2}]},
        {"learning_rate": 0.1},
        [],
        {},
    ],
    ids=["package", "token ids", "list of things", "trainer state", "config", "nothing", "none"],
)
def test_other_documents_are_refused(tmp_path, document):
    path = tmp_path / "history.json"
    path.write_text(json.dumps(document, indent=1))

    assert json_history.sniff(path, head(path)) == 0


@pytest.mark.parametrize("text", ["", "{", '{"a": 1}', "[" * 200_000, '{"a":' * 5000 + "NaN"])
def test_documents_without_a_history_say_so(tmp_path, text):
    path = tmp_path / "history.json"
    path.write_text(text)

    with pytest.raises(ReadError):
        json_history.read(path)


def test_many_rows_in_batches(tmp_path):
    rng = np.random.default_rng(0)
    rows = [{"step": i, "loss": x, **({"eval": -x} if i % 7 == 0 else {})}
            for i, x in enumerate(rng.normal(size=9000).tolist())]  # fmt: skip

    log = only(lines(tmp_path / "log.jsonl", rows))

    assert column(log, "loss") == (list(range(9000)), [row["loss"] for row in rows])
    assert column(log, "eval")[0] == list(range(0, 9000, 7))


def test_rows_with_nothing_but_a_time_are_a_log(tmp_path):
    path = tmp_path / "metrics.jsonl"
    rows = [{"timestamp": 1.7e9 + i, "loss": 1.0 / i, "reward": 0.1 * i} for i in range(1, 9)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    run = rv.open_run(path)

    assert run["loss"].values.tolist() == [row["loss"] for row in rows]
    assert run["loss"].times.tolist() == [row["timestamp"] for row in rows]
