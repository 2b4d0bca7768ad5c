"""Delimited text: dialects, odd rows, exports; values as pandas reads them."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from runvitals.model import Gap, ReadError
from runvitals.readers.log import Log
from runvitals.readers.open import open_run
from runvitals.readers.raw.source import head
from runvitals.readers.tabular import csv_log


def save(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def values(log: Log, name: str) -> list[float]:
    return log.points.column(name)[2].tolist()


def steps(log: Log, name: str) -> list[int]:
    return log.points.column(name)[0].tolist()


def only(path: Path) -> Log:
    [log] = csv_log.read(path)
    return log


SIMPLE = "step,loss,acc\n1,0.5,0.1\n2,0.25,0.2\n3,0.125,0.3\n"


@pytest.mark.parametrize(
    "text",
    [
        SIMPLE,
        SIMPLE.replace("\n", "\r\n"),
        SIMPLE.replace("\n", "\r"),
        "\ufeff" + SIMPLE,
        "\n\n" + SIMPLE,
        SIMPLE.replace(",", "\t"),
        SIMPLE.replace(",", "|"),
        SIMPLE.replace(",", ";"),
        SIMPLE.replace(",", ";").replace(".", ","),
        SIMPLE.replace(",", "\t").replace(".", ","),
        SIMPLE.replace(",", " , "),
        SIMPLE.replace("0.25", '"0.25"'),
        "# " + SIMPLE,
        "# made by hand\n" + SIMPLE,
        SIMPLE.rstrip("\n"),
        SIMPLE.replace("0.25", "np.float64(0.25)"),
        SIMPLE.replace("\n", ",\n").replace("acc,", "acc"),
    ],
    ids=["plain", "crlf", "cr", "bom", "blank lines first", "tabs", "bars", "semicolons",
         "semicolons and decimal commas", "tabs and decimal commas", "blanks", "quotes",
         "header behind #", "comment first", "no end of the last line", "numpy repr",
         "trailing delimiters"],
)  # fmt: skip
def test_reads_the_same_numbers_however_they_are_written(tmp_path, text):
    path = save(tmp_path / "metrics.csv", text)

    log = only(path)

    assert csv_log.sniff(path, head(path)) >= 40
    assert steps(log, "loss") == [1, 2, 3]
    assert values(log, "loss") == [0.5, 0.25, 0.125]
    assert values(log, "acc") == [0.1, 0.2, 0.3]
    assert log.points.names() == ["loss", "acc"]


def test_utf16_as_powershell_writes_it(tmp_path):
    log = only(save(tmp_path / "m.csv", SIMPLE.encode("utf-16")))

    assert values(log, "loss") == [0.5, 0.25, 0.125]


def test_compressed(tmp_path):
    path = save(tmp_path / "m.csv.gz", gzip.compress(SIMPLE.encode()))

    assert csv_log.sniff(path, head(path)) >= 40
    assert values(only(path), "acc") == [0.1, 0.2, 0.3]


def test_compressed_and_cut_gives_what_is_there(tmp_path):
    text = "step,loss\n" + "".join(f"{i},{i * 0.37}\n" for i in range(20_000))
    data = gzip.compress(text.encode())

    log = only(save(tmp_path / "m.csv.gz", data[: len(data) // 2]))

    assert 1000 < len(values(log, "loss")) < 20_000
    assert any("damaged" in warning for warning in log.warnings)


def test_absent_is_not_nan(tmp_path):
    text = "step,a,b\n1,nan,\n2,inf,None\n3,-Infinity,null\n4,,2.5\n5,NaN,N/A\n"

    log = only(save(tmp_path / "m.csv", text))

    assert steps(log, "a") == [1, 2, 3, 5]
    assert math.isnan(values(log, "a")[0])
    assert values(log, "a")[1:3] == [math.inf, -math.inf]
    assert (steps(log, "b"), values(log, "b")) == ([4], [2.5])


def test_mixed_columns_keep_their_numbers(tmp_path):
    text = (
        "step,loss,note,ok,env,list\n1,0.5,a,True,Ant,[1]\n2,skipped,b,False,Ant,[2]\n"
        "3,0.25,c,True,Ant,[]\n"
    )

    log = only(save(tmp_path / "m.csv", text))

    assert steps(log, "loss") == [1, 3]
    assert values(log, "ok") == [1, 0, 1]
    assert log.config == {"env": "Ant"}
    assert log.points.names() == ["loss", "ok"]


def test_columns_of_one_name_are_told_apart(tmp_path):
    log = only(save(tmp_path / "m.csv", "step,loss,loss\n1,0.5,5\n2,0.25,6\n"))

    assert values(log, "loss") == [0.5, 0.25]
    assert values(log, "loss.1") == [5, 6]


def test_cells_over_several_lines(tmp_path):
    text = 'step,loss,sample\n1,0.5,"a,\nb ""quoted"""\n2,0.25,"c"\n'

    assert values(only(save(tmp_path / "m.csv", text)), "loss") == [0.5, 0.25]


def test_a_torn_last_line_is_kept_out(tmp_path):
    log = only(save(tmp_path / "m.csv", SIMPLE + "4,0.0"))

    assert steps(log, "loss") == [1, 2, 3]
    assert log.warnings == ["m.csv: the last line is not complete; it was kept out"]


def test_rows_of_the_wrong_length_are_named_and_left_out(tmp_path):
    log = only(save(tmp_path / "m.csv", SIMPLE + "4,1\n5,0.1,0.2\n6,1,2,3\n"))

    assert steps(log, "loss") == [1, 2, 3, 5]
    assert log.warnings == [
        "m.csv: line 5 has 2 columns, the header has 3, and 1 more such lines; left out"
    ]


def test_a_header_in_the_middle_names_new_columns(tmp_path):
    log = only(save(tmp_path / "m.csv", SIMPLE + "step,loss,acc,kl\n4,0.1,0.4,9\n5,0.05,0.5,8\n"))

    assert steps(log, "loss") == [1, 2, 3, 4, 5]
    assert (steps(log, "kl"), values(log, "kl")) == ([4, 5], [9, 8])


def test_runs_that_were_appended_are_several_logs(tmp_path):
    body = "".join(f"{i},{i * 0.5}\n" for i in range(30))

    logs = csv_log.read(save(tmp_path / "m.csv", ("step,loss\n" + body) * 3))

    assert [len(values(log, "loss")) for log in logs] == [30, 30, 30]
    assert [log.name for log in logs] == ["m 1", "m 2", "m 3"]


def test_dates_are_wall_clock_times(tmp_path):
    text = "timestamp,step,loss\n2024-05-01 12:00:00,1,2\n2024-05-01 12:00:10,2,1\n"

    log = only(save(tmp_path / "m.csv", text))

    assert log.points.column("loss")[1].tolist() == [1714564800.0, 1714564810.0]
    assert (log.started, log.ended) == (1714564800.0, 1714564810.0)


def test_other_counters_stay_series(tmp_path):
    log = only(save(tmp_path / "m.csv", "epoch,global_step,loss\n0,10,1\n0,20,2\n1,30,3\n"))

    assert steps(log, "loss") == [10, 20, 30]
    assert values(log, "epoch") == [0, 0, 1]


def test_a_large_file_is_read_as_pandas_reads_it(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60_000, 8)), columns=[f"m/{i}" for i in range(8)])
    frame = frame.mask(rng.random(frame.shape) < 0.2)
    frame.insert(0, "step", np.arange(60_000) * 3)
    path = tmp_path / "m.csv"
    frame.to_csv(path, index=False)

    log = only(path)

    for name in frame.columns[1:]:
        there = frame[name].notna()
        assert steps(log, name) == frame["step"][there].tolist()
        np.testing.assert_array_equal(log.points.column(name)[2], frame[name][there])


def test_exports_of_weights_and_biases_are_split_by_run(tmp_path):
    text = (
        '"Step","a-1 - loss","a-1 - loss__MIN","a-1 - loss__MAX","b-2 - loss","b-2 - loss__MIN",'
        '"b-2 - loss__MAX"\n"0","0.5","0.5","0.5","","",""\n"10","0.4","0.3","0.4","2","2","2"\n'
        '"20","","","","1","1","1"\n'
    )
    path = save(tmp_path / "wandb_export.csv", text)

    first, second = csv_log.read(path)

    assert csv_log.sniff(path, head(path)) == 85
    assert (first.name, steps(first, "loss"), values(first, "loss")) == ("a-1", [0, 10], [0.5, 0.4])
    assert first.points.names() == ["loss", "loss__MIN"]
    assert (second.name, steps(second, "loss")) == ("b-2", [10, 20])
    assert second.points.names() == ["loss"]


def test_exports_of_tensorboard_are_named_by_their_file(tmp_path):
    path = save(
        tmp_path / "run-PPO_1-tag-rollout_ep_rew_mean.csv",
        "Wall time,Step,Value\n1700000000.5,1,3.5\n1700000001.5,2,4.5\n",
    )

    log = only(path)

    assert csv_log.sniff(path, head(path)) == 88
    assert (log.name, values(log, "rollout_ep_rew_mean")) == ("PPO_1", [3.5, 4.5])
    assert log.points.column("rollout_ep_rew_mean")[1].tolist() == [1700000000.5, 1700000001.5]


def test_a_renamed_export_of_tensorboard_is_named_by_its_file_too(tmp_path):
    path = save(
        tmp_path / "mean_reward.csv",
        "Wall time,Step,Value\n1700000000.5,1,3.5\n1700000001.5,2,4.5\n",
    )

    assert values(only(path), "mean_reward") == [3.5, 4.5]


def test_torchrl_scalars_have_no_header(tmp_path):
    path = save(tmp_path / "exp/scalars/train/reward.csv", "0,1.5\n10,2.5\n20,3.5\n")

    log = only(path)

    assert csv_log.sniff(path, head(path)) == 70
    assert (steps(log, "train/reward"), values(log, "train/reward")) == (
        [0, 10, 20],
        [1.5, 2.5, 3.5],
    )


@pytest.mark.parametrize(
    ("name", "header", "framework"),
    [
        ("progress.csv", "time/total_timesteps,time/fps,train/loss", "stable-baselines3"),
        ("progress.csv", "eprewmean,misc/total_timesteps,loss", "openai-baselines"),
        ("progress.csv", "TotalEnvSteps,Evaluation/AverageReturn,x", "garage"),
        ("m.csv", "step,actor_pg_loss,critic_score_mean,response_length_mean", "verl"),
        ("version_3/metrics.csv", "epoch,step,train/loss", "pytorch-lightning"),
    ],
)
def test_frameworks_are_known_by_their_columns(tmp_path, name, header, framework):
    cells = header.count(",") + 1
    body = "".join(",".join([str(i + 1)] * cells) + "\n" for i in range(5))
    path = save(tmp_path / name, f"{header}\n{body}")

    [log] = csv_log.read(path)

    assert csv_log.sniff(path, head(path)) >= 90
    assert log.framework == framework


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "name,score\nann,3\nbob,4\n",
        "graph,nodes,edges,reward\na,3,4,1\nb,9,1,0\n",
        "0.5,0.6\n0.7,0.8\n",
        "hello world\nthis is text\n",
        "date,open,close\n2024-01-01,3,4\n2024-01-02,5,6\n",
        "round,team,points\n1,a,3\n1,b,0\n2,a,1\n",
        "step,instruction\n1,mix\n2,bake\n",
        '{"step": 1}\n{"step": 2}\n',
        "step,loss\n3,1\n3,2\n3,1\n3,5\n",
        "a\n1\n2\n",
    ],
    ids=["empty", "blank", "people", "one row per graph", "no header", "prose", "prices", "league",
         "recipe", "json", "a step that stands still", "one column"],
)  # fmt: skip
def test_what_is_no_log_is_refused(tmp_path, text):
    path = save(tmp_path / "progress.csv", text)

    assert csv_log.sniff(path, head(path)) == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is empty"),
        ("0.5,0.6\n0.7,0.8\n", "there is no header line"),
        ("step,loss\n", "it holds no rows"),
        ("just words\n", "the first line holds no two columns"),
        ("\0\1\2\3", "this is not a text file"),
        ("step,name\n1,a\n2,b\n", "no numbers"),
    ],
)
def test_says_what_is_wrong(tmp_path, text, problem):
    with pytest.raises(ReadError, match=problem):
        csv_log.read(save(tmp_path / "m.csv", text))


def test_a_hundred_thousand_columns(tmp_path):
    names = ["step", *(f"c{i}" for i in range(100_000))]
    text = ",".join(names) + "\n" + "".join(f"{i}" + ",1.5" * 100_000 + "\n" for i in range(3))

    log = only(save(tmp_path / "m.csv", text))

    assert len(log.points.names()) == 19_999
    assert any("columns" in warning for warning in log.warnings)


def test_a_line_without_end_is_passed_over(tmp_path):
    long = b"9" * (40 * 2**20)
    path = save(tmp_path / "m.csv", b"step,loss\n1,0.5\n2," + long + b"\n3,0.25\n")

    log = only(path)

    assert steps(log, "loss") == [1, 3]
    assert any("longer than" in warning for warning in log.warnings)


def test_spinning_up_with_its_config(tmp_path):
    path = save(
        tmp_path / "progress.txt",
        "Epoch\tAverageEpRet\tTotalEnvInteracts\tTime\n0\t1.5\t4000\t3.2\n1\t2.5\t8000\t6.4\n",
    )
    save(
        tmp_path / "config.json",
        '{"env_name": "Hopper-v2", "ac_kwargs": {"hidden_sizes": [64, 64]}}',
    )

    run = open_run(tmp_path)

    assert csv_log.sniff(path, head(path)) == 92
    assert run["AverageEpRet"].steps.tolist() == [4000, 8000]
    assert run.config == {"env_name": "Hopper-v2", "ac_kwargs.hidden_sizes": [64, 64]}
    assert run.framework == "spinningup"


def test_columns_that_were_added_below_an_old_header_are_numbered(tmp_path):
    old = "".join(f"{i},{i / 2}\n" for i in range(10))
    new = "".join(f"{i},{i / 2},{-i}\n" for i in range(10, 30))
    path = save(tmp_path / "m.csv", "step,loss\n" + old + new)

    log = only(path)

    assert csv_log.sniff(path, head(path)) > 40
    assert steps(log, "loss") == list(range(30))
    assert values(log, "column 3") == [-i for i in range(10, 30)]
    assert "some rows have 3 columns" in log.warnings[0]


def test_zero_bytes_that_a_crash_left_are_told(tmp_path):
    path = tmp_path / "progress.csv"
    lines = [f"{i},{1 / (i + 1)}\n" for i in range(500)]
    lines[400] = "400,0.\0\0\0\0\n"
    lines[-1] = "499,0.\0\0\0\0"
    path.write_text("step,loss\n" + "".join(lines))

    [log] = csv_log.read(path)

    assert [w for w in log.warnings if isinstance(w, Gap)] == [
        "progress.csv: 2 lines contain zero bytes, as a crash of the machine leaves them"
    ]


def test_percentages_and_arrays_of_one_number_are_numbers(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text(
        "epoch,loss,accuracy\n" + "".join(f"{i},[0.{i}],{i}5.5%\n" for i in range(1, 9))
    )

    [log] = csv_log.read(path)

    assert log.points.column("loss")[2].tolist() == [i / 10 for i in range(1, 9)]
    assert log.points.column("accuracy")[2][0] == pytest.approx(0.155)


def test_settings_in_the_first_row_alone_leave_the_other_rows_as_they_are(tmp_path):
    lines = ["episode,timestep,reward,gamma,seed,", "10,800,1.5,0.99,7,"]
    lines += [f"{10 * i},{800 * i},{i + 0.5}" for i in range(2, 30)]
    path = save(tmp_path / "ppo_log.csv", "\n".join(lines) + "\n")

    log = only(path)

    assert values(log, "reward") == [i + 0.5 for i in range(1, 30)]
    assert any("the header names 6 columns, most rows have 3" in told for told in log.warnings)


def test_the_step_at_which_a_stretch_ends_is_a_step(tmp_path):
    rows = [f"1,{100 * i + 1},{100 * i + 100},100,{3.0 - 0.1 * i:.1f}" for i in range(12)]
    text = "epoch,step_start,step_end,num_steps,avg_loss\n" + "\n".join(rows) + "\n"

    log = only(save(tmp_path / "training_loss.csv", text))

    assert len(values(log, "avg_loss")) == 12
    assert steps(log, "avg_loss")[-1] in (1101, 1200)
