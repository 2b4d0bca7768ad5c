"""Numbers cut off at the end of a text log, or garbled within it, are told; healthy logs are not."""

from __future__ import annotations

import io
import json
import os

import pytest
from typer.testing import CliRunner

from runvitals.cli.main import app
from runvitals.model import Gap
from runvitals.readers.console import hf_console, key_value_text, sb3_tables
from runvitals.readers.console._stream import read_stream
from runvitals.readers.raw.numbers import is_garbled, wholeness
from runvitals.readers.tabular import csv_log, json_lines, sb3_monitor

HEAD = "time/total_timesteps,rollout/ep_rew_mean,train/loss"


def lines_of(write="{:.6f}", rows=60):
    return [HEAD] + [
        f"{i * 2048},{100 + i * 0.5},{write.format(97.3 / (i + 1.7))}" for i in range(rows)
    ]


def save(tmp_path, text, name="progress.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def only(path, reader=csv_log):
    [log] = reader.READER.read(path)
    return log


def values(log, name):
    return log.points.column(name)[2].tolist()


def with_cell(text, line=40, column=2):
    lines = [one.encode() for one in lines_of()]
    cells = lines[line].split(b",")
    cells[column] = text
    lines[line] = b",".join(cells)
    return b"\n".join(lines) + b"\n"


# The end of a table


@pytest.mark.parametrize(
    ("write", "cut"),
    [("{:.6f}", 3), ("{:.6f}", 7), ("{!r}", 17), ("{:.3e}", 2), ("{:.3e}", 4), ("{:.4e}", 1)],
    ids=["decimals", "at the point", "all but one digit", "power", "at the e", "within the power"],
)
def test_a_number_that_is_cut_off_is_left_out_and_told(tmp_path, write, cut):
    lines = lines_of(write)
    text = "\n".join(lines)[:-cut]

    log = only(save(tmp_path, text))

    shown = text.rpartition(",")[2]
    assert values(log, "train/loss") == [float(line.split(",")[2]) for line in lines[1:-1]]
    assert len(values(log, "rollout/ep_rew_mean")) == 60
    assert log.warnings == [
        f"progress.csv: the last line breaks off within a number (train/loss, '{shown}'), "
        "which was left out"
    ]


def test_a_line_that_ends_with_its_last_delimiter_is_told(tmp_path):
    text = "\n".join(lines_of())

    log = only(save(tmp_path, text[: text.rfind(",") + 1]))

    assert log.warnings == ["progress.csv: the last line breaks off before train/loss"]


def test_a_line_that_is_cut_in_its_step_is_kept_out(tmp_path):
    lines = ["loss,step"] + [f"{1 / (i + 1):.4f},{i * 1000 + 1000}.0" for i in range(30)]

    log = only(save(tmp_path, "\n".join(lines)[:-4]))

    assert len(values(log, "loss")) == 29
    assert log.warnings == ["progress.csv: the last line is not complete; it was kept out"]


def test_a_number_that_may_be_cut_off_is_kept_and_mentioned(tmp_path):
    lines = ["step,loss,length"] + [f"{i},{1 / (i + 1):.4f},{(i * 37) % 211}" for i in range(60)]
    lines.append("60,0.0164,20")

    log = only(save(tmp_path, "\n".join(lines)))

    assert values(log, "length")[-1] == 20
    [warning] = log.warnings
    assert warning == (
        "progress.csv: the file does not end with a line break; "
        "its last number (length, '20') may be cut off"
    )
    assert not isinstance(warning, Gap)


@pytest.mark.parametrize(
    "lines",
    [
        lines_of(),
        lines_of("{!r}"),
        lines_of("{:.3e}"),
        lines_of("{:.5g}"),
        ["step,loss,n"] + [f"{i},{1 / (i + 1)},{i * 10}" for i in range(40)],
        ["step,loss,n"] + [f"{i},{1 / (i + 1)},500" for i in range(40)],
        ["step,loss,val"] + [f"{i},{1 / (i + 1)},{0.5 if i % 10 == 0 else ''}" for i in range(40)],
        ["step,loss,done"] + [f"{i},{1 / (i + 1)},{i % 2 == 0}" for i in range(40)],
        ["step,loss,note"] + [f"{i},{1 / (i + 1)},{'fine' * (i % 3 + 1)}" for i in range(40)],
        ["step,loss,lr"] + [f"{i},{1 / (i + 1)},{[3e-5, 2.5e-4, 0.002][i % 3]}" for i in range(42)],
        ["step,kl,loss"] + [f"{i},0.1,{'nan' if i > 30 else 1 / (i + 1)}" for i in range(40)],
        ["step,loss"] + [f"{i},{1 / (i + 1)}," for i in range(40)],
        ["step;loss;kl"] + [f"{i};{i}0,5;0,{i % 9}12" for i in range(10, 40)],
    ],
    ids=["fixed", "repr", "powers", "%g", "counter", "constant", "sparse", "bool", "text",
         "powers at times", "nan", "trailing delimiters", "decimal commas"],
)  # fmt: skip
def test_a_whole_last_line_without_a_line_break_is_not_mentioned(tmp_path, lines):
    whole = only(save(tmp_path, "\n".join(lines) + "\n"))
    log = only(save(tmp_path, "\n".join(lines)))

    assert log.warnings == whole.warnings
    assert log.points.count == whole.points.count


def test_every_place_to_cut_a_line_at_is_told_or_harmless(tmp_path):
    lines = lines_of("{:.6f}")
    text = "\n".join(lines)
    silent = []
    for cut in range(1, len(lines[-1])):
        log = only(save(tmp_path, text[:-cut]))
        if not log.warnings:
            silent.append(cut)

    assert silent == []


def test_a_monitor_file_that_is_cut_is_told(tmp_path):
    rows = "".join(f"{i * 1.5},{100 + i},{i * 12.345678:.6f}\n" for i in range(50))
    text = '#{"t_start": 1700000000.0, "env_id": "Hopper-v4"}\nr,l,t\n' + rows

    log = only(save(tmp_path, text[:-4], "monitor.csv"), sb3_monitor)

    assert any("breaks off within a number (t, " in warning for warning in log.warnings)


def test_a_cut_line_is_read_whole_once_its_end_comes(tmp_path):
    text = "\n".join(lines_of()) + "\n"
    path = save(tmp_path, text[:-4])
    log = only(path)

    path.write_text(text)
    log.add(log.read_new())

    assert values(log, "train/loss")[-1] == round(97.3 / 60.7, 6)


# Cells


@pytest.mark.parametrize(
    "cell",
    [
        b"0.5x#",
        b"\x81\xfe\x03\xc3",
        b"1.2.3",
        b"0.\xff25",
        b"q.25",
        b"0.4e4326300",
        b"\x0c1.5",
        b"\x1f",
        b"0,5".replace(b",", b"'"),
    ],
)
def test_a_garbled_number_is_told_and_makes_the_data_partial(tmp_path, cell):
    log = only(save(tmp_path, with_cell(cell)))

    [warning] = log.warnings
    shown = repr(cell.decode("utf-8", "replace"))
    assert warning == f"progress.csv: line 41: {shown} in train/loss is not a number; left out"
    assert isinstance(warning, Gap)
    assert len(values(log, "train/loss")) == 59


def test_garbled_numbers_of_several_columns_are_counted(tmp_path):
    lines = lines_of()
    for line in (20, 30, 31):
        lines[line] = lines[line].replace(".", "#")

    [warning] = only(save(tmp_path, "\n".join(lines) + "\n")).warnings

    assert (
        "line 21: '109#5' in rollout/ep_rew_mean is not a number, and 5 more such cells" in warning
    )


@pytest.mark.parametrize(
    "cell", ["", "nan", "NaN", "None", "N/A", "inf", "-inf", "null", "-", "?", "skipped", "[1 2]",
             "np.float64(0.5)", "#DIV/0!", "warmup 3", " 0.5 "]
)  # fmt: skip
def test_what_stands_for_no_number_is_normal(tmp_path, cell):
    assert only(save(tmp_path, with_cell(cell.encode()))).warnings == []


def test_columns_of_texts_are_normal(tmp_path):
    lines = ["step,loss,commit,shape,when"]
    lines += [f"{i},{1 / (i + 1)},{i * 7919:x}f,{i}x{i},12:{i % 60:02}:00" for i in range(100)]
    lines += [f"{i},{1 / (i + 1)},{i},({i}. 3),12" for i in range(100, 120)]

    assert only(save(tmp_path, "\n".join(lines) + "\n")).warnings == []


def test_the_way_a_number_is_written_tells_whether_it_is_whole():
    floats = ["0.4921875", "0.12345678", "0.333251953125"]

    assert wholeness("0.", floats) == "cut"
    assert wholeness("0.2", floats) == "unknown"
    assert wholeness("0.25012", floats) == "whole"
    assert wholeness("1.5", ["1.5e-05", "0.0002", "0.0003"]) == "unknown"
    assert wholeness("0.00025", ["1.5e-05", "0.0002", "0.0003"]) == "whole"
    assert wholeness("1", ["", "-", ".", "2e5"]) == "cut"
    assert wholeness("nan", floats) == "whole"
    assert wholeness("na", ["nan", "0.5"]) == "cut"
    assert not is_garbled("0.25")


# Other texts


def test_a_cut_line_of_json_is_told(tmp_path):
    text = "".join(json.dumps({"step": i, "loss": 1 / (i + 1)}) + "\n" for i in range(50))

    for cut in (2, 5, 20):
        log = only(save(tmp_path, text[:-cut], "log.jsonl"), json_lines)

        assert len(values(log, "loss")) == 49
        assert log.warnings == ["log.jsonl: the last line is not complete; it was kept out"]


def console(path):
    os.utime(path, (1_700_000_000, 1_700_000_000))  # nobody is writing to it any more
    return path


PRINTED = "".join(
    f"step: {i} loss: {1 / (i + 1):.4f} kl: {0.01 + i / 1e4:.5f}\n" for i in range(50)
)
DICTS = "".join(f"{{'loss': {1 / (i + 1):.4f}, 'epoch': {i / 10:.2f}}}\n" for i in range(50))


@pytest.mark.parametrize(
    ("reader", "text", "name", "cut"),
    [
        (key_value_text, PRINTED, "kl", 3),
        (key_value_text, PRINTED, "loss", 15),
        (hf_console, DICTS, "loss", 4),
    ],
    ids=["last number", "earlier number", "dict"],
)
def test_a_cut_line_of_a_console_is_kept_out_and_told(tmp_path, reader, text, name, cut):
    whole = only(console(save(tmp_path, text, "train.log")), reader)
    log = only(console(save(tmp_path, text[:-cut], "train.log")), reader)

    assert values(log, name) == values(whole, name)[:-1]
    assert "the last line is not complete; it was kept out" in log.warnings


@pytest.mark.parametrize(("reader", "text"), [(key_value_text, PRINTED), (hf_console, DICTS)])
def test_a_whole_last_line_of_a_console_is_not_mentioned(tmp_path, reader, text):
    whole = only(console(save(tmp_path, text, "train.log")), reader)
    log = only(console(save(tmp_path, text[:-1], "train.log")), reader)

    assert log.warnings == whole.warnings
    assert log.points.count == whole.points.count


def test_a_cut_table_of_a_console_is_told(tmp_path):
    rule = "-" * 36
    tables = "".join(
        f"{rule}\n| rollout/           |             |\n|    ep_rew_mean     | {i + 10.5:<11} |\n"
        f"| time/              |             |\n|    total_timesteps | {i * 2048:<11} |\n{rule}\n"
        for i in range(20)
    )

    log = only(console(save(tmp_path, tables[: -len(rule) - 12], "train.log")), sb3_tables)

    assert "the last line is not complete; it was kept out" in log.warnings


def test_a_stream_that_is_cut_is_told():
    log = read_stream(io.BytesIO(PRINTED.encode()[:-3]))

    assert values(log, "kl")[-1] == 0.0148
    assert "the last line is not complete; it was kept out" in log.warnings


def test_a_console_line_is_read_whole_once_its_end_comes(tmp_path):
    path = console(save(tmp_path, PRINTED[:-3], "train.log"))
    log = only(path, key_value_text)

    path.write_text(PRINTED)
    log.add(log.read_new())

    assert values(log, "kl")[-1] == 0.0149


# What the user sees


@pytest.mark.parametrize(
    ("text", "told", "partial"),
    [
        ("\n".join(lines_of())[:-4].encode(), "breaks off within a number", False),
        (with_cell(b"0.5x#"), "'0.5x#' in train/loss is not a number", True),
    ],
    ids=["cut", "garbled"],
)
def test_check_tells_damage_first(tmp_path, text, told, partial):
    save(tmp_path, text)

    shown = CliRunner().invoke(app, ["check", str(tmp_path)])
    as_json = CliRunner().invoke(app, ["check", "--format", "json", str(tmp_path)])

    assert told in shown.output.splitlines()[1]  # after the name of the run
    [run] = json.loads(as_json.stdout)["runs"]
    assert told in run["warnings"][0]
    assert run["partial"] is partial
    assert shown.exit_code == (2 if partial else 0)
