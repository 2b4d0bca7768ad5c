"""Histories in one JSON document, in the shapes that people give them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runvitals.readers.log import Log
from runvitals.readers.raw.source import head
from runvitals.readers.tabular import json_history

CURVE = [1.0 / (i + 1) for i in range(20)]


def read(folder: Path, document: Any, name: str = "results.json") -> list[Log]:
    path = folder / name
    path.write_text(json.dumps(document))
    assert json_history.sniff(path, head(path)) > 0
    return json_history.read(path)


def column(log: Log, name: str) -> tuple[list[int], list[float]]:
    steps, _, values = log.points.column(name)
    return steps.tolist(), values.tolist()


def test_lists_pairs_and_mappings_beside_each_other(tmp_path):
    document = {
        "training_returns": CURVE,
        "losses": [[10 * i, value] for i, value in enumerate(CURVE)],
        "dev_chrf": {"10": 38.4, "20": 36.0, "30": 37.5},
        "best": 38.4,
    }

    [log] = read(tmp_path, document)

    assert column(log, "training_returns") == (list(range(20)), CURVE)
    assert column(log, "losses") == ([10 * i for i in range(20)], CURVE)
    assert column(log, "dev_chrf") == ([10, 20, 30], [38.4, 36.0, 37.5])
    assert log.config == {"best": 38.4}


def test_each_list_has_the_steps_of_its_split(tmp_path):
    document = {
        "train_loss": CURVE,
        "steps": [5 * i for i in range(20)],
        "val_loss": CURVE[:4],
        "val_steps": [20, 40, 60, 80],
    }

    [log] = read(tmp_path, document)

    assert column(log, "train_loss")[0] == [5 * i for i in range(20)]
    assert column(log, "val_loss")[0] == [20, 40, 60, 80]


def test_a_shorter_list_without_steps_is_kept_and_told(tmp_path):
    [log] = read(tmp_path, {"train": {"loss": CURVE}, "val": {"loss": CURVE[:13]}})

    assert len(column(log, "train/loss")[0]) == 20
    assert column(log, "val/loss")[0] == list(range(13))
    assert "`val/loss` has 13 values" in log.warnings[0]
    assert "counted from 0" in log.warnings[0]


@pytest.mark.parametrize(
    ("count", "steps"), [(5, [3, 7, 11, 15, 19]), (3, [5, 12, 19])], ids=["each fourth", "about"]
)
def test_a_far_shorter_list_is_that_of_evaluations_now_and_then(tmp_path, count, steps):
    [log] = read(tmp_path, {"train": {"loss": CURVE}, "val": {"loss": CURVE[:count]}})

    assert column(log, "val/loss") == (steps, CURVE[:count])
    assert "spread evenly" in log.warnings[0]


@pytest.mark.parametrize(
    "document",
    [
        {"epochs": [{"loss": value, "val_acc": str(value)} for value in CURVE]},
        [{"loss": value, "val_acc": value} for value in CURVE],
        {"loss": [str(value) for value in CURVE], "val_acc": CURVE},
        {"loss": dict(enumerate(CURVE)), "val_acc": dict(enumerate(CURVE))},
        {str(i): {"loss": value, "val_acc": value} for i, value in enumerate(CURVE)},
        {"columns": ["loss", "val_acc"], "data": [[value, value] for value in CURVE]},
    ],
    ids=["rows below a name", "rows", "texts", "columns by row", "rows by number", "split"],
)
def test_the_same_curve_however_it_is_laid_out(tmp_path, document):
    [log] = read(tmp_path, document)

    assert column(log, "loss") == (list(range(20)), CURVE)
    assert column(log, "val_acc")[1] == CURVE


def test_rows_under_their_epochs(tmp_path):
    [log] = read(tmp_path, {f"epoch_{i}": {"loss": 1.0 / i} for i in range(1, 12)})

    assert column(log, "loss") == (list(range(1, 12)), [1.0 / i for i in range(1, 12)])


def test_two_lists_with_the_same_names_keep_both(tmp_path):
    rows = [{"step": i, "loss": value} for i, value in enumerate(CURVE)]

    [log] = read(tmp_path, {"train": rows, "eval": [{"step": 9, "loss": 7.0}]})

    assert len(column(log, "train/loss")[0]) == 20
    assert column(log, "eval/loss") == ([9], [7.0])


def test_a_list_that_repeats_another_is_left_out(tmp_path):
    rows = [{"step": i, "loss": value, "lr": 0.1} for i, value in enumerate(CURVE)]
    series = [{"step": i, "value": value} for i, value in enumerate(CURVE)]

    [log] = read(tmp_path, {"history": rows, "series": {"loss": series}})

    assert set(log.points.names()) == {"loss", "lr"}


@pytest.mark.parametrize(
    ("names", "labels"),
    [(("seed_0", "seed_1"), ["seed_0", "seed_1"]), (("PPO", "DQN"), ["PPO", "DQN"])],
)
def test_mappings_alike_under_seeds_or_methods_are_runs(tmp_path, names, labels):
    logs = read(
        tmp_path, {"results": {name: {"rewards": CURVE, "losses": CURVE} for name in names}}
    )

    assert [log.name for log in logs] == labels
    assert all(column(log, "rewards")[1] == CURVE for log in logs)


def test_mappings_alike_under_metrics_are_one_run(tmp_path):
    [log] = read(tmp_path, {"loss": {"mean": CURVE, "std": CURVE}, "reward": {"mean": CURVE}})

    assert set(log.points.names()) == {"loss/mean", "loss/std", "reward/mean"}


def test_rows_of_several_seeds_are_runs(tmp_path):
    rows = [{"seed": s, "episode": i, "reward": s + i} for s in (1, 2) for i in range(20)]

    logs = read(tmp_path, rows)

    assert [log.config for log in logs] == [{"seed": 1}, {"seed": 2}]
    assert column(logs[1], "reward") == (list(range(20)), [2 + i for i in range(20)])


def test_what_tensorboard_saves_as_json(tmp_path):
    [log] = read(
        tmp_path, [[1.7e9 + i, 10 * i, value] for i, value in enumerate(CURVE)], "run-a-tag-kl.json"
    )

    steps, times, values = log.points.column("kl")
    assert steps.tolist() == [10 * i for i in range(20)]
    assert times.tolist() == [1.7e9 + i for i in range(20)]
    assert values.tolist() == CURVE


def test_a_list_alone_is_what_its_file_is_called(tmp_path):
    [log] = read(tmp_path, CURVE, "rewards.json")

    assert column(log, "rewards") == (list(range(20)), CURVE)


def test_one_number_for_each_agent(tmp_path):
    [log] = read(tmp_path, {"episode_rewards": [[value, -value] for value in CURVE]})

    assert column(log, "episode_rewards/1")[1] == [-value for value in CURVE]


@pytest.mark.parametrize(
    "document",
    [
        {"values": CURVE, "labels": [1, 0] * 10},
        {f"word{i}": i for i in range(50)},
        CURVE,
        {"class_counts": {"0": 10, "1": 20, "2": 30}},
        [{"name": f"case {i}", "reward": value} for i, value in enumerate(CURVE)],
        {"cases": [{"question": f"q{i}", "score": 1.0} for i in range(20)]},
        {"points": [[0.5, 0.25], [0.1, 0.3], [0.7, 0.9]]},
    ],
    ids=["embedding", "vocabulary", "bare list", "classes", "cases", "questions", "points"],
)
def test_other_documents_are_refused(tmp_path, document):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document))

    assert json_history.sniff(path, head(path)) == 0


def test_a_large_document_is_judged_as_a_whole(tmp_path):
    cases = [{"step": "x" * 900, "case": f"c{i}", "reward": 1.0} for i in range(200)]
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"cases": cases}, indent=1))

    assert json_history.sniff(path, head(path)) == 0


def test_a_counter_that_starts_over_beside_a_whole_curve_splits_no_run(tmp_path):
    stats = [{"step": i % 25, "lr": 0.1, "tokens": i} for i in range(100)]

    [log] = read(tmp_path, {"loss": [1.0 / (i + 1) for i in range(100)], "stats": stats})

    assert len(column(log, "loss")[0]) == 100
    assert column(log, "tokens")[0] == list(range(100))
    assert "`step` starts over" in log.warnings[0]


def rows(count: int = 20, **more: float) -> list[dict[str, float]]:
    return [{"step": 50.0 * i, "em": value, **more} for i, value in enumerate(CURVE[:count])]


@pytest.mark.parametrize(
    ("document", "labels"),
    [
        ({"curves": {"0": rows(), "1": rows(), "2": rows()}}, ["run 0", "run 1", "run 2"]),
        ({"lr": 0.1, "seed_0": rows(), "seed_1": rows()}, ["seed_0", "seed_1"]),
        ({"ppo": rows(reward=1.0), "dqn": rows(reward=2.0)}, ["ppo", "dqn"]),
        ([{"seed": s, "history": rows(), "final": 0.5} for s in (3, 4)], ["seed 3", "seed 4"]),
        ({"runs": [{"seed": s, "rewards": CURVE} for s in (3, 4)]}, ["seed 3", "seed 4"]),
        ([{"method": m, "train_reward": CURVE} for m in ("a", "b")], ["a", "b"]),
    ],
)
def test_lists_of_several_runs_are_runs(tmp_path, document, labels):
    logs = read(tmp_path, document)

    assert [log.name for log in logs] == labels
    assert all(log.points.size(name) == 20 for log in logs for name in log.points.names())


@pytest.mark.parametrize(
    "document",
    [
        {"train": rows(), "val": rows()},
        {"warmup": rows(5), "main": [{"step": 1000 + i, "em": v} for i, v in enumerate(CURVE)]},
        {"agent_0": rows(), "agent_1": rows()},
        [{"epoch": i, "val_acc": 0.5, "name": f"e{i}", "class_scores": CURVE} for i in range(20)],
    ],
    ids=["splits", "phases", "agents", "rows with lists"],
)
def test_lists_of_one_run_stay_one_run(tmp_path, document):
    assert len(read(tmp_path, document)) == 1


def test_curves_side_by_side_are_series(tmp_path):
    [log] = read(tmp_path, {"rewards": [CURVE, CURVE, CURVE[:19]]})

    assert [log.points.size(f"rewards/{i}") for i in range(3)] == [20, 20, 19]


def test_lists_under_numbers_are_what_the_file_is_called(tmp_path):
    [log] = read(tmp_path, {"0": CURVE, "1": CURVE}, "episode_rewards.json")

    assert log.points.names() == ["episode_rewards/0", "episode_rewards/1"]


@pytest.mark.parametrize(
    "text",
    [
        str({"train_loss": CURVE, "val_acc": CURVE}),
        "\n".join(json.dumps({"epoch": i, "train_loss": v}, indent=2) for i, v in enumerate(CURVE)),
        "".join(json.dumps({"epoch": i, "train_loss": v}) for i, v in enumerate(CURVE)),
    ],
    ids=["Python's own", "one after the other", "without line ends"],
)
def test_documents_that_are_no_single_json_value(tmp_path, text):
    path = tmp_path / "history.txt"
    path.write_text(text)

    assert json_history.sniff(path, head(path)) > 0
    [log] = json_history.read(path)

    assert column(log, "train_loss") == (list(range(20)), CURVE)


@pytest.mark.parametrize(
    "document",
    [
        [{"prompt": str(i), "rewards": [0.0, 1.0] * 4} for i in range(30)],
        [{"name": str(i), "scores": CURVE} for i in range(100)],
    ],
    ids=["samples with rewards", "many things"],
)
def test_samples_are_no_runs(tmp_path, document):
    path = tmp_path / "samples.json"
    path.write_text(json.dumps(document))

    assert json_history.sniff(path, head(path)) == 0


def test_a_list_of_steps_may_fill_the_start_of_the_document(tmp_path):
    count = 30_000
    document = {"timesteps": list(range(count)), "mean_rewards": [i / count for i in range(count)]}

    [log] = read(tmp_path, document, "training_log.json")

    assert len(column(log, "mean_rewards")[0]) == count
