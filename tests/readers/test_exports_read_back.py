"""What `runvitals export` writes is read back as the run it came from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runvitals.exporters import export_csv, export_jsonl, export_parquet, export_tensorboard
from runvitals.model import PointTable, RowBlock, Run, RunInfo
from runvitals.readers.open import open_runs

START = 1.7e9


def block(
    names: tuple[str, ...], steps: list[int], rank: int = 0, times: bool = True, base: float = 0.0
) -> RowBlock:
    where = np.array(steps, np.int64)
    values = np.stack([base + i + np.sin(where / 7) for i in range(len(names))], axis=1)
    clock = START + where * 1.5 if times else np.full(len(where), np.nan)
    return RowBlock(names, where, clock, values, rank)


def points(*blocks: RowBlock) -> PointTable:
    table = PointTable()
    for one in blocks:
        table.add(one)
    return table


MADE = {
    "one block": points(block(("loss", "train/reward"), list(range(0, 300, 3)))),
    "losses rarer than rewards": points(
        block(("reward",), list(range(200))), block(("loss", "kl"), list(range(0, 200, 10)))
    ),
    "no times": points(block(("loss",), list(range(50)), times=False)),
    "metrics called step and time": points(block(("step", "time", "loss"), list(range(60)))),
    "a metric called seed": points(block(("seed", "loss"), list(range(60)))),
    "two ranks": points(
        block(("loss",), list(range(40))), block(("loss",), list(range(40)), rank=1, base=5.0)
    ),
    "names of nothing we know": points(block(("blub", "x y,z"), list(range(30)))),
    "begins late": points(block(("loss",), list(range(5000, 5100)))),
}
WRITERS = {"csv": export_csv, "jsonl": export_jsonl, "parquet": export_parquet}


def assert_same(found: PointTable, wanted: PointTable) -> None:
    assert set(found.names()) == set(wanted.names())
    for name in wanted.names():
        assert found.ranks(name) == wanted.ranks(name)
        for rank in wanted.ranks(name):
            for mine, theirs in zip(
                found.column(name, rank), wanted.column(name, rank), strict=True
            ):
                np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-6)


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("ending", WRITERS)
def test_names_steps_times_and_values_come_back(tmp_path: Path, made: str, ending: str) -> None:
    path = WRITERS[ending](MADE[made].blocks(), tmp_path / f"run.{ending}")

    [run] = open_runs(path)

    assert_same(run.points, MADE[made])
    assert run.warnings == []


def test_not_a_number_and_infinity_come_back(tmp_path: Path) -> None:
    steps = np.arange(20)
    values = np.linspace(0, 1, 20)
    values[[3, 4, 5]] = np.nan, np.inf, -np.inf
    wanted = points(RowBlock(("loss",), steps, START + steps, values[:, None]))

    for ending, write in WRITERS.items():
        [run] = open_runs(write(wanted.blocks(), tmp_path / f"run.{ending}"))

        np.testing.assert_array_equal(run.points.column("loss")[2], values)


def test_event_files_come_back_with_their_settings(tmp_path: Path) -> None:
    wanted = MADE["losses rarer than rewards"]
    run = Run("a", wanted, config={"lr": 0.1, "env": "CartPole-v1"})
    info = RunInfo(run.id, run.name, "", tmp_path, started=START, config=run.config)
    export_tensorboard(wanted.blocks(), [], tmp_path / "board", info)

    [found] = open_runs(tmp_path / "board")

    assert set(found.points.names()) == set(wanted.names())
    for name in wanted.names():
        np.testing.assert_array_equal(found.points.column(name)[0], wanted.column(name)[0])
        np.testing.assert_allclose(
            found.points.column(name)[2], wanted.column(name)[2], rtol=1e-6, atol=1e-6
        )
    assert found.config["lr"] == 0.1
    assert found.config["env"] == "CartPole-v1"


def test_a_foreign_table_whose_time_is_that_of_each_step_is_no_export(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("step,time,loss\n" + "".join(f"{i},0.25,{i}\n" for i in range(20)))

    [run] = open_runs(path)

    assert run.points.column("time")[2].tolist() == [0.25] * 20
    assert np.isnan(run.points.column("loss")[1]).all()
