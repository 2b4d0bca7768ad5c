import sqlite3

import pytest

from runvitals.model import ReadError
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
    assert "query_metrics" in caught.value.hint


def test_files_elsewhere_are_not_claimed(tmp_path):
    assert aim.sniff(tmp_path / "run_metadata.sqlite", b"") == 0
    assert aim.sniff(tmp_path / "aim" / "VERSION", b"") == 0
