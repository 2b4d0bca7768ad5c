# ruff: noqa: E501 - lines of real logs are long

import pytest

import runvitals as rv
from runvitals.model import ReadError
from runvitals.readers.console import ml_agents_console, sb3_tables
from runvitals.readers.raw.source import head

SB3 = """\
Using cpu device
---------------------------------
| rollout/           |          |
|    ep_len_mean     | 21.3     |
|    ep_rew_mean     | nan      |
| time/              |          |
|    total_timesteps | {}     |
| train/             |          |
|    a_very_long_name_that_is_cu... | 0.5 |
|    note            | text     |
| plain              | 3        |
---------------------------------
"""
SPINUP = """\
---------------------------------------
|             Epoch |               {} |
|      AverageEpRet |            -5.5 |
| TotalEnvInteracts |           {} |
---------------------------------------
"""


def write(folder, text, name="log.txt"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def series(log, name):
    steps, _, values = log.points.column(name)
    return list(zip(steps.tolist(), values.tolist(), strict=True))


def test_a_box_is_a_row_with_its_groups(tmp_path):
    path = write(tmp_path, SB3.format(1000) + "noise\n" + SB3.format(2000))

    [log] = sb3_tables.READER.read(path)

    assert sb3_tables.READER.sniff(path, head(path)) == 85
    assert series(log, "rollout/ep_len_mean") == [(1000, 21.3), (2000, 21.3)]
    assert series(log, "plain") == [(1000, 3.0), (2000, 3.0)]
    assert "train/a_very_long_name_that_is_cu..." in log.points.names()
    assert "train/note" not in log.points.names()
    assert any("names were cut" in w for w in log.warnings)
    assert log.framework == "stable-baselines3"


def test_spinning_up_boxes_have_no_groups(tmp_path):
    path = write(tmp_path, "".join(SPINUP.format(n, 4000 * n) for n in (1, 2, 3)))

    [log] = sb3_tables.READER.read(path)

    assert series(log, "AverageEpRet") == [(4000, -5.5), (8000, -5.5), (12000, -5.5)]
    assert log.framework is None


def test_a_box_that_was_cut_off_keeps_what_it_holds(tmp_path):
    text = SB3.format(1000) + SB3.format(2000)
    path = write(tmp_path, text[: text.rindex("| train/")])

    [log] = sb3_tables.READER.read(path)

    assert series(log, "rollout/ep_len_mean") == [(1000, 21.3), (2000, 21.3)]


@pytest.mark.parametrize("text", ["| a | b |\n|---|---|\n| 1 | 2 |\n", "-----\ntext\n-----\n", ""])
def test_other_tables_are_not_taken(tmp_path, text):
    path = write(tmp_path, text)

    assert sb3_tables.READER.sniff(path, head(path)) == 0
    with pytest.raises(ReadError):
        sb3_tables.READER.read(path)


def test_each_behaviour_of_ml_agents_is_a_run(tmp_path):
    path = write(
        tmp_path,
        "[INFO] Walker. Step: 30000. Time Elapsed: 60.2 s. Mean Reward: 1.5. Std of Reward: 0.25. Training.\n"
        "[INFO] Ball. Step: 100. Time Elapsed: 61.0 s. No episode was completed since last summary. Training.\n"
        "[INFO] Walker. Step: 60000. Time Elapsed: 120.2 s. Mean Reward: -2.000. Std of Reward: 0.5. Training.\n"
        "[INFO] Ball. Step: 200. Time Elapsed: 121.0 s. Mean Reward: 7. Std of Reward: 0. Not Training.\n",
    )

    logs = ml_agents_console.READER.read(path)

    assert ml_agents_console.READER.sniff(path, head(path)) == 85
    assert [log.name for log in logs] == ["Walker", "Ball"]
    assert series(logs[0], "Mean Reward") == [(30000, 1.5), (60000, -2.0)]
    assert series(logs[1], "Mean Reward") == [(200, 7.0)]
    assert series(logs[1], "Time Elapsed") == [(100, 61.0), (200, 121.0)]
    assert logs[0].framework == "ml-agents"


def test_names_with_single_blanks_over_a_table_among_other_lines(tmp_path):
    path = tmp_path / "train.log"
    rows = "".join(f"{i} {1 / (i + 1):.4f} 0.{i}\nsaving checkpoint\n" for i in range(9))
    path.write_text(f"epoch loss acc\n{rows}")

    run = rv.open_run(path)

    assert run["loss"].steps.tolist() == list(range(9))
    assert run["acc"].values[3] == 0.3


def test_a_table_that_was_printed_over_a_progress_bar_is_read(tmp_path):
    bar = "\x1b[2K---------------------------------4m━\x1b[0m\x1b[38;5;237m╺━━━\x1b[0m [32m19,960/300,000 ]"
    text = "".join(SB3.format(n).replace("-" * 33, bar, 1) for n in range(100, 1100, 100))

    run = rv.open_run(write(tmp_path, text, "output.log"))

    assert run.framework == "stable-baselines3"
    assert list(run["time/total_timesteps"].values) == list(range(100, 1100, 100))
