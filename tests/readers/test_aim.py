import sqlite3

import pytest

from runvitals.model import ReadError
from runvitals.readers.open import open_run
from runvitals.readers.registry import reader_for
from runvitals.readers.trackers import aim


def test_an_aim_repository_says_how_to_export_it(tmp_path):
    folder = tmp_path / ".aim"
    folder.mkdir()
    path = folder / "run_metadata.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE run (id, hash, name)")

    assert reader_for(path) is aim.READER
    assert aim.sniff(folder, b"") > 0
    with pytest.raises(ReadError, match="only Aim can read") as caught:
        aim.read(path)
    assert caught.value.path == str(folder)
    assert f"aim.Repo('{tmp_path}').query_metrics()" in caught.value.hint


def test_what_the_export_writes_is_read(tmp_path):
    header = ",idx,step,value,epoch,time,run.hash,run,metric.name,metric.context.subset"
    rows = [
        f"{k * 30 + i},{i},{i * 10},{k + i / 10},,2026-11-18 08:56:{i:02}.35,77d9,<Run>,{name},train"
        for k, name in enumerate(("reward", "loss"))
        for i in range(30)
    ]
    (tmp_path / "aim.csv").write_text("\n".join([header, *rows]) + "\n")

    run = open_run(tmp_path / "aim.csv")

    assert set(run.names()) == {"reward", "loss"}
    assert (run["reward"].steps[-1], run["reward"].values[-1]) == (290, 2.9)


def test_files_elsewhere_are_not_claimed(tmp_path):
    assert aim.sniff(tmp_path / "run_metadata.sqlite", b"") == 0
    assert aim.sniff(tmp_path / "aim" / "VERSION", b"") == 0
