"""Real logs open, with the numbers that csv, json and pandas find in them."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.outside import outside

from runvitals.readers.log import Log
from runvitals.readers.raw.source import head
from runvitals.readers.tabular import csv_log, json_history, json_lines, rllib, sb3_monitor

CORPUS = outside("corpus")
NAMES = "csv_log json_history json_lines parquet rllib sb3_evaluations sb3_monitor".split()
READERS = [import_module(f"runvitals.readers.tabular.{name}") for name in NAMES]

LLAMA = "llamafactory"
KERAS_RL = "public/kerasrl-breakout/dqn_BreakoutDeterministic-v4_log.json"
RED_TEAM = "public/redteam-grpo-duplicates/train_metrics.with_duplicates.jsonl"

# file, reader, framework, rows it gives (one number per log), last step
LOGS: list[tuple[str, Any, str | None, list[int], int]] = [
    ("public/sb3-flappy-ppo/progress.csv", csv_log, "stable-baselines3", [1954], 2000896),
    ("public/sb3-flappy-a2c-entropy/progress.csv", csv_log, "stable-baselines3", [1000], 2000000),
    ("public/sb3-flappy-dqn/progress.csv", csv_log, "stable-baselines3", [8538], 1999968),
    ("public/sb3-acrobot-ppo/progress.csv", csv_log, "stable-baselines3", [59], 100352),
    ("public/sb3-warp-pendulum/progress.csv", csv_log, "stable-baselines3", [98], 200704),
    ("public/sb3-driving-highkl/progress.csv", csv_log, "stable-baselines3", [74], 606208),
    ("public/sb3-biosearch-ppo/progress.csv", csv_log, "stable-baselines3", [59], 100352),
    ("public/baselines-deepcars/progress.csv", csv_log, "openai-baselines", [178], 1971664),
    ("public/baselines-deepcars/0.0.monitor.csv", sb3_monitor, None, [17888], 1999855),
    ("public/spinup-ppo-diverged/progress.txt", csv_log, "spinningup", [1837], 7348000),
    ("public/spinup-walker-ppo/progress.txt", csv_log, "spinningup", [750], 3000000),
    ("public/spinup-ppo-dead-critic/progress.txt", csv_log, "spinningup", [250], 1000000),
    ("public/rllib-pong-dead-policy/progress.csv", rllib, "rllib", [50], 200000),
    ("public/rllib-pong-dead-policy/result.json", rllib, "rllib", [50], 200000),
    ("rllib-ppo-cartpole-short-s0/progress.csv", rllib, "rllib", [3], 3000),
    ("rllib-ppo-cartpole-short-s0/result.json", rllib, "rllib", [3], 3000),
    (KERAS_RL, json_history, None, [3321], 910531),
    ("public/ppo-explore-hopper/run-2020-08-31-03-34-55-795158.csv", csv_log, None, [123], 1007616),
    ("public/icm-reacher/run-2020-08-28-05-56-28-817563.csv", csv_log, None, [977], 1000448),
    ("public/mappo-hetnet-appended/ppo_training_log.csv", csv_log, None, [100] * 4 + [500] * 2, 499),
    ("public/protein-ppo-interleaved/training_log.csv", csv_log, None, [299, 281], 286),
    ("public/chaosagent-loss-zero/rewards.csv", csv_log, None, [200], 199),
    ("public/lightning-fjspt-reinforce/metrics.csv", csv_log, None, [1161], 8000),
    ("public/verl-agentgym-sparse-zero/training_metrics_grpo.csv", csv_log, "verl", [49], 49),
    ("public/verl-agentgym-mis/training_metrics_sft_grpo_mis.csv", csv_log, "verl", [323], 323),
    ("verl-sim-grpo/metrics.jsonl", json_lines, "verl", [24], 24),
    ("public/llamafactory-dpo-warmup/trainer_log.jsonl", json_lines, LLAMA, [202], 202),
    ("public/llamafactory-orpo-log/trainer_log.jsonl", json_lines, LLAMA, [34], 336),
    ("public/llamafactory-log-without-metrics/trainer_log.jsonl", json_lines, LLAMA, [50], 250),
    ("public/llamafactory-two-runs-one-file/trainer_log.jsonl", json_lines, LLAMA, [71], 710),
    ("public/llamafactory-duplicated-rows/trainer_log.jsonl", json_lines, LLAMA, [1206], 6565),
    ("public/reward-hacking-leetcode-1b/metrics.jsonl", json_lines, None, [45], 44),
    ("public/reward-hacking-leetcode-3b/metrics.jsonl", json_lines, None, [35], 34),
    (RED_TEAM, json_lines, None, [150], 400),
    ("public/grpo-ternary-skipped/grpo_log.jsonl", json_lines, None, [201], 201),
    ("public/openenv-guardrail-collapse/metrics.jsonl", json_lines, None, [120], 120),
    ("public/grpo-tiny-healthy/grpo_metrics.json", json_history, None, [120], 119),
    ("public/trl-dpo-json/dpo-full-colab_dpo_history.json", json_history, None, [91], 90),
    ("trl-tiny-ppo-legacy/stats.jsonl", json_lines, None, [40], 39),
]  # fmt: skip


def best(path: Path) -> tuple[int, Any]:
    start = head(path)
    sure = [(reader.sniff(path, start), reader) for reader in READERS]
    return max(sure, key=lambda pair: pair[0])


def longest(log: Log) -> int:
    return max(len(log.points.column(name)[0]) for name in log.points.names())


@pytest.mark.parametrize(
    ("name", "reader", "framework", "rows", "last"), LOGS, ids=[x[0] for x in LOGS]
)
def test_every_log_opens(name, reader, framework, rows, last):
    path = CORPUS / name

    sure, found = best(path)
    logs = found.read(path)

    assert found is reader
    assert sure >= (90 if framework else 40)
    assert [longest(log) for log in logs] == rows
    assert {log.framework for log in logs} == {framework}
    assert int(logs[-1].points.column(logs[-1].points.names()[0])[0].max()) == last


def kept(log: Log) -> int:
    """Rows of a log, those that were logged again included."""
    points = log.points
    return max(len(points.column(n)[0]) + len(points.abandoned(n)[0]) for n in points.names())


def test_no_log_loses_rows_without_a_word():
    looked_at = 0
    for path in sorted([*CORPUS.glob("public*/*/*.csv"), *CORPUS.glob("public*/*/*.jsonl")]):
        sure, reader = best(path)
        if not sure or "wandb" in path.parent.name:  # its columns are runs
            continue
        lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
        logs = reader.read(path)
        looked_at += 1
        if path.suffix == ".csv":
            rows = sum(not line.startswith("#") for line in lines) - 1
        else:  # of the name that most of them have: lines of several kinds share a file
            names = {name for log in logs for name in log.points.names()}
            given = Counter(name for line in lines for name, _ in flat(json.loads(line)))
            rows = max(given[name] for name in names)

        lost = rows - sum(map(kept, logs))
        told = any("rows" in warning or "left out" in warning for warning in logs[-1].warnings)
        assert lost <= 2 or told, (path, rows, lost)
    assert looked_at > 40


def produced() -> list[Path]:
    return sorted([*CORPUS.glob("sb3-*/progress.csv"), *CORPUS.glob("sb3-*/progress.json")])


def test_the_produced_runs_open_alike_as_csv_and_json():
    for folder in sorted({path.parent for path in produced()}):
        [table], [lines] = (
            best(folder / name)[1].read(folder / name) for name in ("progress.csv", "progress.json")
        )
        assert table.framework == lines.framework == "stable-baselines3"
        assert set(table.points.names()) == set(lines.points.names())
        for name in table.points.names():
            one, two = table.points.column(name), lines.points.column(name)
            assert one[0].tolist() == two[0].tolist(), (folder.name, name)
            np.testing.assert_allclose(one[2], two[2], rtol=1e-5)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, _, _, rows, _ in LOGS
        if name.endswith((".csv", "progress.txt")) and "monitor" not in name and len(rows) == 1
    ],
)
def test_delimited_values_are_those_of_pandas(name):
    path = CORPUS / name
    frame = pd.read_csv(path, sep=None, engine="python", keep_default_na=False, na_values=[""])

    [log] = best(path)[1].read(path)

    names = set(log.points.names())
    numeric = {c for c in frame.columns if frame[c].dtype.kind in "fib" and frame[c].notna().any()}
    dropped = numeric - names - {"pid", "timestamp", "step", "steps", "Step"}
    assert not dropped
    for column in numeric & names:
        wanted = frame[column][frame[column].notna()].to_numpy(np.float64)
        np.testing.assert_array_equal(log.points.column(column)[2], wanted, err_msg=column)


def flat(row: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for key, value in row.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}/")
        elif isinstance(value, int | float):
            yield f"{prefix}{key}", float(value)


@pytest.mark.parametrize(
    "name",
    ["public/rllib-pong-dead-policy/result.json", "rllib-ppo-cartpole-short-s0/result.json",
     "public/llamafactory-dpo-warmup/trainer_log.jsonl",
     "public/reward-hacking-leetcode-3b/metrics.jsonl",
     "public/openenv-guardrail-collapse/metrics.jsonl", "trl-tiny-ppo-legacy/stats.jsonl",
     "sb3-ppo-cartpole-healthy-s0/progress.json"],
)  # fmt: skip
def test_json_values_are_those_of_json(name):
    path = CORPUS / name
    wanted: dict[str, list[float]] = {}
    for line in path.read_text().splitlines():
        row = {
            k: v for k, v in json.loads(line).items() if k not in ("config", "hist_stats", "pid")
        }
        for key, value in flat(row):
            wanted.setdefault(key, []).append(value)

    [log] = best(path)[1].read(path)

    missing = set(wanted) - set(log.points.names()) - {"step", "timestamp"}
    assert not missing
    for key in set(wanted) & set(log.points.names()):
        np.testing.assert_array_equal(log.points.column(key)[2], wanted[key], err_msg=key)


def test_workers_of_one_run():
    paths = sorted((CORPUS / "public/sb3-zoo-monitors").glob("*.monitor.csv"))
    episodes = []
    for path in paths:
        with open(path) as file:
            file.readline()
            episodes += [
                (float(row["t"]), float(row["r"]), int(row["l"])) for row in csv.DictReader(file)
            ]

    log = sb3_monitor.read_workers(paths)

    steps, times, values = log.points.column("r")
    assert len(steps) == len(episodes) == 2963
    assert steps[-1] == sum(length for _, _, length in episodes)
    assert math.isclose(values.mean(), np.mean([r for _, r, _ in episodes]))
    assert bool((np.diff(times) >= 0).all())


def test_evaluations_of_a_produced_run():
    path = CORPUS / "sb3-ppo-cartpole-healthy-s0" / "evaluations.npz"
    with np.load(path) as arrays:
        wanted = arrays["timesteps"], arrays["results"].mean(axis=1)

    [log] = best(path)[1].read(path)

    steps, _, values = log.points.column("eval/mean_reward")
    np.testing.assert_array_equal(steps, wanted[0])
    np.testing.assert_array_equal(values, wanted[1])


def test_rllib_finds_its_params():
    [log] = rllib.read(CORPUS / "rllib-ppo-cartpole-short-s0" / "progress.csv")

    assert log.config["_train_batch_size_per_learner"] == 1000
    assert log.config["gamma"] == 0.99


@pytest.mark.parametrize(
    "pattern",
    ["public/*/trainer_state.json", "*/run.json", "*-index.json", "public/index.json", "*/params.json",
     "public/*/wandb-summary.json", "public/*/training_status.json", "*/completions/*.parquet",
     "public/*/*.wandb", "*/log.txt", "public/*/*.log", "*/events.out*", "NOTES.md"],
)  # fmt: skip
def test_what_is_no_table_of_ours_is_refused(pattern):
    for path in CORPUS.glob(pattern):
        assert best(path)[0] == 0, path.relative_to(CORPUS)
