"""Tables that hold several runs, several series under one name, or one number to a row."""

from __future__ import annotations

from pathlib import Path

import pytest

from runvitals.readers.log import Log
from runvitals.readers.open import open_runs
from runvitals.readers.raw.source import head
from runvitals.readers.tabular import csv_log


def save(path: Path, header: str, rows: list[tuple[object, ...]]) -> Path:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def steps(log: Log, name: str) -> list[int]:
    return log.points.column(name)[0].tolist()


def values(log: Log, name: str) -> list[float]:
    return log.points.column(name)[2].tolist()


SEEDS = [(seed, episode, 10 * seed + episode) for seed in (1, 2, 3) for episode in range(20)]


@pytest.mark.parametrize("order", [0, 1], ids=["one after the other", "side by side"])
def test_each_seed_is_a_run(tmp_path, order):
    path = save(
        tmp_path / "m.csv", "seed,episode,reward", sorted(SEEDS, key=lambda row: row[order])
    )

    logs = csv_log.read(path)

    assert csv_log.sniff(path, head(path)) > 40
    assert [log.name for log in logs] == ["m seed 1", "m seed 2", "m seed 3"]
    assert [log.config for log in logs] == [{"seed": 1}, {"seed": 2}, {"seed": 3}]
    assert values(logs[1], "reward") == [20 + i for i in range(20)]
    assert "seed" not in logs[0].points.names()


def test_methods_and_environments_are_runs_by_name(tmp_path):
    rows = [(a, e, 100 * i, i) for a in ("PPO", "DQN") for e in ("Cart", "Lunar") for i in range(9)]

    logs = csv_log.read(save(tmp_path / "m.csv", "algo,env,step,return", rows))

    assert [log.name for log in logs] == ["m PPO Cart", "m PPO Lunar", "m DQN Cart", "m DQN Lunar"]
    assert logs[3].config == {"algo": "DQN", "env": "Lunar"}
    assert {len(steps(log, "return")) for log in logs} == {9}


def test_a_seed_that_each_episode_draws_anew_splits_nothing(tmp_path):
    rows = [(i, (i * 7919) % 1000, i) for i in range(50)]

    [log] = csv_log.read(save(tmp_path / "m.csv", "episode,seed,return", rows))

    assert len(steps(log, "return")) == 50


def test_agents_are_series_of_one_run(tmp_path):
    rows = [(i, f"red_{a}", i + a) for i in range(20) for a in range(2)]

    [log] = csv_log.read(save(tmp_path / "m.csv", "episode,agent,reward", rows))

    assert values(log, "red_0/reward") == list(range(20))
    assert values(log, "red_1/reward") == list(range(1, 21))


def test_numbered_agents_are_named_by_their_column(tmp_path):
    rows = [(i, a, i + a) for i in range(20) for a in range(2)]

    [log] = csv_log.read(save(tmp_path / "m.csv", "episode,agent_id,reward", rows))

    assert values(log, "agent_id_1/reward") == list(range(1, 21))


def test_splits_are_series_even_where_their_steps_differ(tmp_path):
    rows = [(i, "val" if i % 5 == 4 else "train", i) for i in range(20)]

    [log] = csv_log.read(save(tmp_path / "m.csv", "step,phase,loss", rows))

    assert steps(log, "val/loss") == [4, 9, 14, 19]
    assert len(steps(log, "train/loss")) == 16


@pytest.mark.parametrize("by_metric", [True, False])
def test_a_long_table(tmp_path, by_metric):
    rows = [(i, m, i + len(m)) for i in range(20) for m in ("loss", "reward")]
    if by_metric:
        rows.sort(key=lambda row: row[1])

    [log] = csv_log.read(save(tmp_path / "m.csv", "step,metric,value", rows))

    assert set(log.points.names()) == {"loss", "reward"}
    assert steps(log, "reward") == list(range(20))
    assert values(log, "loss") == [i + 4 for i in range(20)]


def test_a_long_table_of_several_runs_with_times(tmp_path):
    rows = [
        (run, tag, i, i, 1.7e9 + i)
        for run in ("a", "b")
        for tag in ("train/loss", "val/acc")
        for i in range(10)
    ]
    path = save(tmp_path / "scalars.csv", "run,tag,step,value,wall_time", rows)

    logs = csv_log.read(path)

    assert [log.name for log in logs] == ["scalars a", "scalars b"]
    assert set(logs[0].points.names()) == {"train/loss", "val/acc"}
    assert logs[0].points.column("val/acc")[1].tolist() == [1.7e9 + i for i in range(10)]


def test_a_metric_called_step_does_not_take_the_place_of_the_axis(tmp_path):
    rows = [(i, m, 2 * i) for i in range(10) for m in ("loss", "step")]

    [log] = csv_log.read(save(tmp_path / "m.csv", "step,metric,value", rows))

    assert steps(log, "step") == list(range(10))
    assert values(log, "step") == [2 * i for i in range(10)]


def test_batches_count_on_over_the_epochs(tmp_path):
    rows = [(e, b, e + b) for e in range(1, 4) for b in range(0, 50, 10)]

    [log] = csv_log.read(save(tmp_path / "m.csv", "epoch,batch,loss", rows))

    assert steps(log, "loss") == list(range(0, 150, 10))
    assert log.warnings == ["m.csv: `batch` starts over with each `epoch`; the steps count on"]


def test_an_epoch_with_many_rows_counts_nothing(tmp_path):
    rows = [(e / 10, e + b) for e in range(4) for b in range(5)]

    [log] = csv_log.read(save(tmp_path / "m.csv", "epoch,loss", rows))

    assert steps(log, "loss") == list(range(20))


def test_epochs_of_two_runs_still_count(tmp_path):
    rows = [(e, e) for e in range(20)]
    path = tmp_path / "m.csv"
    text = save(path, "epoch,loss", rows).read_text()
    path.write_text(text * 2)

    logs = csv_log.read(path)

    assert [steps(log, "loss") for log in logs] == [list(range(20))] * 2


def test_rows_appended_to_a_long_table_are_followed(tmp_path):
    path = save(tmp_path / "m.csv", "step,metric,value", [(i, "loss", i) for i in range(9)])
    [run] = open_runs(path)

    with path.open("a") as file:
        file.write("9,loss,9\n9,reward,1\n")
    run.refresh()

    assert run.points.column("loss")[0].tolist() == list(range(10))
    assert run.points.column("reward")[2].tolist() == [1]


def test_rows_appended_to_batches_count_on(tmp_path):
    rows = [(e, b, e + b) for e in range(3) for b in range(5)]
    path = save(tmp_path / "m.csv", "epoch,batch,loss", rows)
    [run] = open_runs(path)

    with path.open("a") as file:
        file.write("3,0,1\n3,1,1\n")
    run.refresh()

    assert run.points.column("loss")[0].tolist() == list(range(17))


def test_most_rows_keep_their_names_where_a_column_tells_their_kind(tmp_path):
    rows = [(i, "step", i, "") for i in range(40)]
    rows += [(i, "evaluate", 100 + i, i) for i in range(0, 40, 4)]
    rows.sort(key=lambda row: row[0])

    [log] = csv_log.read(save(tmp_path / "m.csv", "step,event,loss,win_rate", rows))

    assert steps(log, "loss") == list(range(40))
    assert values(log, "evaluate/loss") == [100 + i for i in range(0, 40, 4)]
    assert len(steps(log, "win_rate")) == 10


def test_names_that_say_their_split_need_not_say_it_twice(tmp_path):
    rows = [(i, s, i if s == "train" else "", i if s == "val" else "") for i in range(9) for s in
            ("train", "val")]  # fmt: skip

    [log] = csv_log.read(save(tmp_path / "m.csv", "epoch,phase,train_loss,val_loss", rows))

    assert {"train_loss", "val_loss"} <= set(log.points.names())


def test_rows_appended_to_a_file_of_several_seeds_join_none_of_them(tmp_path):
    path = save(tmp_path / "m.csv", "seed,episode,reward", list(SEEDS))
    runs = open_runs(path)
    with path.open("a") as file:
        file.write("1,20,5\n")

    for run in runs:
        run.refresh()

    assert {len(run.points.column("reward")[0]) for run in runs} == {20}


@pytest.mark.parametrize("name", ["metric", "tag", "name", "key"])
def test_long_lines(tmp_path, name):
    path = tmp_path / "m.jsonl"
    path.write_text(
        "".join(
            f'{{"{name}": "{metric}", "value": {i}, "step": {i}}}\n'
            for i in range(12)
            for metric in ("loss", "reward")
        )
    )

    [run] = open_runs(path)

    assert set(run.points.names()) == {"loss", "reward"}
    assert run.points.column("loss")[0].tolist() == list(range(12))
