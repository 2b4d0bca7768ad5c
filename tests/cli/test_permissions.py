"""Logs and folders that this user may not read, in a process without the rights of root."""

import os
import shutil
import subprocess
import sys

import pytest

from runvitals import init

pytestmark = pytest.mark.skipif(
    shutil.which("setpriv") is None and os.geteuid() == 0, reason="root may read everything"
)


def without_rights(folder, *words):
    """Run a command whose process may read only what the file modes allow."""
    command = [sys.executable, "-m", "runvitals.cli.main", *words]
    if os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *command]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", ["check", "runs", "fleet", "names"])
@pytest.mark.parametrize("locked", ["folder", "folder/log.csv"])
def test_what_may_not_be_read_is_said_and_never_a_finding(tmp_path, command, locked):
    log = tmp_path / "folder" / "log.csv"
    log.parent.mkdir()
    log.write_text("step,reward\n" + "".join(f"{i},{i}\n" for i in range(30)))
    (tmp_path / locked).chmod(0)

    done = without_rights(tmp_path, command, "folder/log.csv")

    (tmp_path / locked).chmod(0o700)
    assert done.returncode == 2
    assert "Permission denied" in done.stderr
    assert "Traceback" not in done.stderr
    assert "no runs found" not in done.stdout


def test_a_table_that_may_not_be_read_is_not_called_damaged(tmp_path):
    with init(dir=tmp_path, console=False, tensorboard=False, system=False, judge=False) as run:
        for step in range(30):
            run.log({"reward": step}, step=step)
    table = next(tmp_path.rglob("rank0.parquet"))
    table.chmod(0)

    done = without_rights(tmp_path, "check", ".")

    assert done.returncode == 2
    assert "rank0.parquet was skipped: Permission denied" in done.stdout
    assert "damaged" not in done.stdout
