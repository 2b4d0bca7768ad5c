# ruff: noqa: E501 - lines of logs are long
import json

import pytest
from typer.testing import CliRunner

from runvitals.cli.main import app
from runvitals.model import ReadError
from runvitals.readers.console._end import Ending
from runvitals.readers.open import open_run

TRACEBACK = """\
Traceback (most recent call last):
  File "/home/me/train.py", line 40, in <module>
    main()
  File "/home/me/train.py", line 12, in step
    loss.backward()
  File "/usr/lib/python3.11/site-packages/torch/_tensor.py", line 525, in backward
    torch.autograd.backward(
"""
ENDS = {
    "an exception": (TRACEBACK + "ValueError: bad batch\n", "ValueError: bad batch (train.py:12 in step)"),
    "CUDA memory": (
        TRACEBACK + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
        "out of memory (train.py:12 in step): torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    ),
    "Ctrl-C": (TRACEBACK + "KeyboardInterrupt\n", "KeyboardInterrupt (train.py:12 in step)"),
    "killed": ("Loading\nKilled\n", "Killed"),
    "SLURM": (
        "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-01-01T10:00:00 DUE TO TIME LIMIT ***\n",
        "the time limit of the job: ",
    ),
    "SLURM, memory": ("slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch\n", "out of memory: "),
    "NCCL": (
        "[rank3]:[E] ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(...)\n",
        "Watchdog caught collective operation timeout",
    ),
    "Ray": (
        "ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.\n",
        "ray.exceptions.RayActorError: The actor died",
    ),
    "a launcher that passes on a failure": (
        TRACEBACK
        + "ValueError: bad batch\nTraceback (most recent call last):\n"
        + '  File "/usr/bin/torchrun", line 8, in <module>\n'
        + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n",
        "ValueError: bad batch",
    ),
    "nothing": ("Loading\nSaving\nerror rate: 3\n", ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ENDS.values(), ids=ENDS)
def test_the_end_of_a_console_is_told_in_a_line(text, expected):
    end = Ending()

    for line in text.splitlines():
        end.feed(line)

    assert expected in end.text
    assert bool(end.text) == bool(expected)


def test_what_was_overcome_did_not_end_it():
    end = Ending()
    end.feed("ValueError: retrying")

    end.clear()

    assert end.text == ""


def test_a_log_without_metrics_tells_what_ended_it(tmp_path):
    path = tmp_path / "train.log"
    path.write_text(
        "Loading the tokenizer\n" + TRACEBACK + "torch.OutOfMemoryError: CUDA out of memory.\n"
    )

    with pytest.raises(ReadError, match=r"it ended with: out of memory \(train.py:12 in step\)"):
        open_run(path)


def test_any_text_named_by_the_user_gives_its_last_words(tmp_path):
    path = tmp_path / "app.log"
    path.write_text("listening on port 80\nall went well\n")

    with pytest.raises(ReadError, match="its last line: all went well"):
        open_run(path)


@pytest.mark.parametrize("place", ["train.log", ""])
def test_check_says_why_there_is_nothing_to_judge(tmp_path, place):
    (tmp_path / "train.log").write_text(
        "import torch, training on CUDA\n" + TRACEBACK + "ValueError: bad batch\n"
    )

    told = CliRunner().invoke(app, ["check", str(tmp_path / place)])
    made = CliRunner().invoke(app, ["check", str(tmp_path / place), "--format", "json"])

    assert told.exit_code == made.exit_code == 2
    assert "it ended with: ValueError: bad batch (train.py:12 in step)" in told.output
    [problem] = json.loads(made.stdout)["problems"]
    assert "it ended with: ValueError: bad batch" in problem


def test_a_run_that_crashed_keeps_what_ended_it(tmp_path):
    path = tmp_path / "train.log"
    rows = "".join(f"step {n}: loss 0.{n}\n" for n in range(1, 6))
    path.write_text("RuntimeError: once, before\n" + rows + TRACEBACK + "ValueError: bad batch\n")

    run = open_run(path)

    assert run.status == "crashed"
    assert run.provenance["ended_with"] == "ValueError: bad batch (train.py:12 in step)"


def test_the_error_that_went_to_another_file_is_found(tmp_path):
    (tmp_path / "job-7.out").write_text("".join(f"step {n}: loss 0.{n}\n" for n in range(1, 6)))
    (tmp_path / "job-7.err").write_text(
        "import torch, training on CUDA\n" + TRACEBACK + "ValueError: bad batch\n"
    )

    run = open_run(tmp_path)

    assert run.status == "crashed"
    assert "bad batch" in run.provenance["ended_with"]


def test_a_server_that_failed_is_no_training(tmp_path):
    (tmp_path / "server.log").write_text("listening on port 80\n" + "OSError: port in use\n")

    told = CliRunner().invoke(app, ["check", str(tmp_path)])

    assert told.exit_code == 2
    assert "no runs found" in told.output
