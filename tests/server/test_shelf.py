"""Open runs: kept current by whoever reads them, and told about once."""

from __future__ import annotations

from runvitals.server.work import shelf
from runvitals.server.work.library import Library


def test_what_a_request_read_first_is_still_told_of(start, tmp_path, monkeypatch):
    monkeypatch.setattr(shelf, "FRESH", 0.0)
    run = start(name="live")
    run.log({"loss": 1.0}, step=0)
    run.flush()
    library = Library([tmp_path])
    library.scan()
    [record] = library.records()
    opened = shelf.Shelf()

    def read() -> int:
        with opened.reading(record.place, 0) as (seen, *_):
            return seen.points.count

    assert read() == 1
    [place] = opened.open_places()
    assert not place.has_news()
    run.log({"loss": 2.0}, step=1)
    run.finish()
    assert read() == 2
    assert place.ended
    assert place.has_news()
    assert not place.has_news()
