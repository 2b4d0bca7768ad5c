"""Images, sounds, videos and tables that a run logs."""

from __future__ import annotations

import io
import json
import wave

import numpy as np
import pytest

from runvitals.exporters import export_media
from runvitals.model import Media, RunvitalsWarning
from runvitals.model.row import MAX_MEDIA_BYTES
from runvitals.recorder.events import EventBuffer
from runvitals.recorder.media import LazyMedia, png, wav
from runvitals.store import events as stored_events
from runvitals.store.reader import open_folder

GIF = b"GIF89a" + bytes(20)


def media_of(run):
    run.finish()
    return [event for event in open_folder(run.folder).events() if isinstance(event, Media)]


def pixels(data):
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(data)))


@pytest.mark.parametrize(
    ("array", "shape"),
    [
        (np.arange(12, dtype=np.uint8).reshape(3, 4), (3, 4)),
        (np.arange(36, dtype=np.uint8).reshape(3, 4, 3), (3, 4, 3)),
        (np.arange(60, dtype=np.int64).reshape(3, 5, 4), (3, 5, 4)),
        (np.zeros((3, 6, 7)), (6, 7, 3)),
    ],
    ids=["grey", "colours", "with alpha", "channels first"],
)
def test_an_array_becomes_the_picture_that_pillow_reads(array, shape):
    pytest.importorskip("PIL")

    read = pixels(png(array))

    assert read.shape == shape
    if array.shape == shape:
        assert (read == array).all()


def test_shares_of_brightness_and_odd_numbers_are_in_range():
    pytest.importorskip("PIL")

    read = pixels(png(np.array([[0.0, 0.5, 1.0, np.nan, -3.0]])))

    assert read.tolist() == [[0, 128, 255, 0, 0]]


def test_a_sound_becomes_wav_at_its_rate():
    data = wav(np.array([[0.0, 1.0, -1.0, 0.5], [0.0, 0.0, 0.0, 0.0]]), 8000)

    with wave.open(io.BytesIO(data)) as sound:
        assert (sound.getframerate(), sound.getnchannels(), sound.getnframes()) == (8000, 2, 4)
        assert np.frombuffer(sound.readframes(4), "<i2")[::2].tolist() == [0, 32767, -32767, 16384]


def test_what_was_logged_comes_back_with_step_and_caption(start, tmp_path):
    (tmp_path / "film.gif").write_bytes(GIF)
    run = start()
    image = np.zeros((4, 4, 3), np.uint8)
    run.log_image("frame", image, step=3, caption="level 1")
    image[:] = 255  # what was logged stays as it was
    run.log_audio("voice", np.zeros(100), step=4, sample_rate=8000)
    run.log_video("episode", tmp_path / "film.gif", step=5)

    frame, voice, episode = media_of(run)

    assert (frame.name, frame.step, frame.caption, frame.type) == (
        "frame",
        3,
        "level 1",
        "image/png",
    )
    assert frame.read() == png(np.zeros((4, 4, 3), np.uint8))
    assert (voice.kind, voice.step) == ("audio", 4)
    assert episode.read() == GIF


def test_the_same_picture_is_stored_once(start):
    run = start()
    for step in range(5):
        run.log_image("still", np.ones((8, 8), np.uint8), step=step)

    found = media_of(run)

    assert [item.step for item in found] == [0, 1, 2, 3, 4]
    assert len(list((run.folder / "media").iterdir())) == 1


@pytest.mark.parametrize(
    ("call", "content", "says"),
    [
        ("log_image", np.zeros((2, 2, 2, 2)), "is not a picture"),
        ("log_image", b"<svg onload='alert(1)'/>", "its format is none of"),
        ("log_image", "nowhere.png", "No such file"),
        ("log_video", np.zeros((3, 4, 4, 3)), "encoded bytes or as the path"),
        ("log_image", b"\x89PNG\r\n\x1a\n" + bytes(MAX_MEDIA_BYTES), "and the limit is"),
        ("log_audio", np.zeros((9, 9)), "is not a sound"),
    ],
    ids=["shape", "format", "missing", "raw video", "too large", "channels"],
)
def test_what_cannot_be_kept_is_told_and_does_not_raise(start, call, content, says):
    run = start()

    with pytest.warns(RunvitalsWarning, match=says):
        getattr(run, call)("x", content, step=1)
        found = media_of(run)

    assert found == []


def test_a_run_holds_so_many_bytes_and_says_what_is_missing(start, monkeypatch):
    monkeypatch.setattr(stored_events, "MAX_RUN_MEDIA_BYTES", 2_500)
    run = start()
    rng = np.random.default_rng(0)
    with pytest.warns(RunvitalsWarning, match="further ones are not stored"):
        for step in range(5):
            run.log_image("noise", rng.integers(0, 255, (32, 32), np.uint8), step=step)
        found = media_of(run)

    assert len(found) == 2
    assert sum(loss.rows for loss in run.losses) == 3


def test_files_given_as_paths_are_not_all_read_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("runvitals.recorder.events.BUDGET_BYTES", 5_000)
    (tmp_path / "film.gif").write_bytes(GIF + bytes(2_000))
    waiting = EventBuffer(lambda *_: None)
    for step in range(4):
        waiting.add(LazyMedia.snapshot("video", "v", step, 0.0, tmp_path / "film.gif"))
    waiting.resolve_later()

    first = waiting.drain()

    assert 1 <= len(first) < 4
    assert waiting.has_later


def test_a_damaged_file_is_not_shown(start):
    run = start()
    run.log_image("frame", np.zeros((4, 4), np.uint8), step=3)
    [item] = media_of(run)
    item.source.write_bytes(item.read()[:-1] + b"x")

    with pytest.raises(ValueError, match="damaged"):
        item.read()


def test_a_name_that_leads_elsewhere_is_a_damaged_line():
    line = {"step": 1, "time": 0.0, "kind": "media", "name": "x", "caption": ""}

    assert stored_events.parse_event(json.dumps({**line, "file": "../run.json"}).encode()) is None


def test_a_long_table_is_cut_at_a_whole_row(start, monkeypatch):
    monkeypatch.setattr("runvitals.recorder.events.MAX_TEXT", 100)
    run = start()
    with pytest.warns(RunvitalsWarning, match="was cut after"):
        run.log_table("t", ["a", "b"], ([i, "word"] for i in range(1000)), step=5)
    run.finish()

    [table] = open_folder(run.folder).events()

    assert table.is_table
    assert table.text.splitlines()[-1].endswith("| word |")
    assert len(table.text) < 200


def test_an_export_names_files_by_name_and_step(start, tmp_path):
    run = start()
    run.log_image("eval/frame", np.zeros((4, 4), np.uint8), step=3)
    run.log_image("eval/frame", np.ones((4, 4), np.uint8), step=3)
    run.log_table("t", ["a"], [[1]], step=5)
    run.log_samples([{"prompt": "p", "reward": 1.0}], step=6)
    run.finish()

    count = export_media(open_folder(run.folder).events(), tmp_path / "out")

    files = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*"))
    assert files == ["eval_frame/3-1.png", "eval_frame/3.png", "samples.jsonl", "t/5.md"]
    assert count == 4
