"""Who has no index pays nothing for it."""

from __future__ import annotations

import subprocess
import sys

from tests.fleet.conftest import record

SCRIPT = """
import sys
import runvitals as rv
import runvitals.cli.main
run = rv.open_run(sys.argv[1])
rv.judge(run)
heavy = {"chdb", "clickhouse_connect", "duckdb", "obstore"} & set(sys.modules)
assert not heavy, heavy
"""


def test_local_use_imports_no_engine(tmp_path):
    run = record(tmp_path / "a")

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(run)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
