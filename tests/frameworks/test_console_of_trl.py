"""What a terminal of 80 columns shows of a GRPO training, with and without transformers' own bar."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from tests.frameworks.adapted import EXAMPLES

pytest.importorskip("trl", reason="needs trl")

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]

COLUMNS, ROWS = 80, 24
WANTED = ("reward", "loss", "entropy", "grad_norm")


def in_a_terminal(script: Path, folder: Path) -> list[str]:
    """The lines that a script leaves in a terminal, without their colours."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {
        **{k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")},
        "TERM": "xterm-256color",
        "OMP_NUM_THREADS": "1",
        "RUNVITALS_CONSOLE_INTERVAL": "0",
    }
    started = subprocess.Popen(
        [sys.executable, str(script)], cwd=folder, env=environment, stdout=its, stderr=its
    )
    os.close(its)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    assert started.wait() == 0, said[-3000:].decode(errors="replace")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode(errors="replace"))
    return re.split(r"[\r\n]+", plain)


def test_plain_lines_beside_a_progress_bar_show_what_matters(tmp_path):
    lines = in_a_terminal(EXAMPLES / "trl_grpo.py", tmp_path)

    begins = max(i for i, line in enumerate(lines) if line.startswith("step 1"))
    ours = [lines[begins], *(line for line in lines[begins + 1 : begins + 4] if line[:2] == "  ")]
    for name in WANTED:
        assert re.search(rf"\b{name} -?\d", " ".join(ours)), (name, ours)
    assert max(map(len, ours)) <= COLUMNS


def test_the_live_table_shows_what_matters(tmp_path):
    script = (EXAMPLES / "trl_grpo.py").read_text()
    quiet, changed = re.subn(r"use_cpu=True", "use_cpu=True, disable_tqdm=True", script)
    assert changed == 1
    (tmp_path / "train.py").write_text(quiet)

    lines = in_a_terminal(tmp_path / "train.py", tmp_path)

    begins = max(i for i, line in enumerate(lines) if line.startswith("╭─ grpo"))
    ends = next(i for i in range(begins, len(lines)) if lines[i].startswith("╰"))
    table = lines[begins : ends + 1]  # the verdict comes after it, and may be a long sentence
    assert len(table) <= ROWS
    for name in WANTED:
        assert any(re.search(rf"\b{name} +-?\d", line) for line in table), (name, table)
    assert max(map(len, table)) <= COLUMNS
