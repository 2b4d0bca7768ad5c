import shutil
import stat

import pytest

from runvitals.model import ReadError
from runvitals.model.references import cache_folder, read_reference, write_reference

SAID = {"format": "x/1", "url": "file:///elsewhere"}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RUNVITALS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache" / "copy").mkdir(parents=True)
    return tmp_path / "cache"


def test_what_was_written_is_read(cache):
    write_reference(cache / "copy" / "one.json", SAID)

    assert read_reference(cache / "copy" / "one.json") == SAID


def test_a_cache_that_was_moved_still_works(cache, monkeypatch):
    write_reference(cache / "copy" / "one.json", SAID)
    shutil.move(cache, cache.with_name("moved"))
    monkeypatch.setenv("RUNVITALS_CACHE", str(cache.with_name("moved")))

    assert read_reference(cache_folder() / "copy" / "one.json") == SAID


def test_nobody_else_can_read_the_key(cache):
    write_reference(cache / "copy" / "one.json", SAID)

    [key] = cache.glob("*.key")

    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert [path.name for path in cache.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("change", ["copied", "changed", "key gone", "not signed", "not JSON"])
def test_one_that_we_did_not_write_is_refused(cache, change):
    path = cache / "copy" / "one.json"
    write_reference(path, SAID)
    if change == "copied":
        path = shutil.copy(path, cache / "copy" / "two.json")
    elif change == "changed":
        path.write_bytes(path.read_bytes().replace(b"elsewhere", b"nowhere"))
    elif change == "key gone":
        (cache / "reference.key").unlink()
    else:
        path.write_text("[]" if change == "not JSON" else '{"url": "file:///elsewhere"}')

    with pytest.raises(ReadError, match=r"refers to something elsewhere|damaged"):
        read_reference(path)
