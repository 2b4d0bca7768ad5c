"""TensorBoard event files, written without TensorFlow, protobuf or a summary writer."""

from __future__ import annotations

import itertools
import os
import socket
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from runvitals.exporters import _summaries
from runvitals.exporters._append import AppendFile
from runvitals.exporters._tfevents import RowEncoder
from runvitals.model import Event, Histogram, RowBlock, RunInfo, Sample, Text
from runvitals.model.row import in_groups

SAMPLE_TABLE_SECONDS = 10.0
MAX_TEXT = 64 * 1024
EXPORT_BATCH = 20_000_000

_FILE_NAME = "events.out.tfevents."
_file_numbers = itertools.count()


class TensorBoardSink:
    """Writes `<run folder>/tensorboard/events.out.tfevents.*`, ranks above 0 into a subfolder.

    One event per row, values as float32 (NaN and infinities too). Each `write` ends with all of it
    in the hands of the operating system; one that the disk refuses is undone. A resumed run adds a
    file beside the earlier ones.
    """

    whole_batches = True

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._file: EventFile | None = None
        self._info: RunInfo | None = None
        self._config_written = False
        self._goes_on = False  # a resumed run, of which no row came yet

    def open(self, info: RunInfo) -> None:
        """Start a new event file."""
        folder = info.folder / "tensorboard" if self._folder is None else self._folder
        self._info = info
        self._goes_on = info.segment > 1
        self._file = EventFile(_rank_folder(folder, info.rank), started=info.started)

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:
        """Append rows, then histograms, texts and samples."""
        if self._file is None:
            return
        self._write_config()
        filled = [block for block in blocks if block.names and len(block)]
        mine = [block for block in filled if not block.names[0].startswith("System/")]
        if self._goes_on and mine:
            self._file.goes_on_at(min(int(block.steps.min()) for block in mine))
            self._goes_on = False
        self._file.write(blocks, events)

    def close(self, status: str) -> None:
        """Note how the run ended, and close the file."""
        if self._file is None:
            return
        try:
            self._write_config()
            if self._config_written:
                self._file.end(status)
        finally:
            self._file.close()
            self._file = None

    def _write_config(self) -> None:
        # TensorBoard keeps the first record only, so it waits until there is something to say
        if self._config_written or self._info is None or self._info.rank or self._file is None:
            return
        if self._info.config:
            self._file.config(self._info)
            self._config_written = True


class EventFile:
    """One growing event file."""

    def __init__(self, folder: Path, *, started: float = 0.0) -> None:
        now = time.time()
        self._started = started
        # two kinds under one tag would hide each other in TensorBoard
        self._kinds: dict[str, str] = {}
        self._encoder = RowEncoder(lambda name: self._tag(name, "scalar"))
        self._next_samples = float("-inf")
        host = socket.gethostname() or "localhost"
        second = _second_of_new_file(folder, now)
        name = f"{_FILE_NAME}{second}.{host}.{os.getpid()}.{next(_file_numbers)}"
        self._file = AppendFile(folder / name, exclusive=True)
        self._file.write(_summaries.file_version(now))

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._file.path

    def write(self, blocks: Sequence[RowBlock], events: Iterable[Event]) -> None:
        """Append rows, then events: all of them, or none when the disk refuses."""
        size, next_samples = self._file.size, self._next_samples
        try:
            self._write(blocks, events)
        except OSError:
            self._file.cut(size)
            self._next_samples = next_samples
            raise

    def _write(self, blocks: Sequence[RowBlock], events: Iterable[Event]) -> None:
        for records in self._encoder.encode(blocks, self._started):
            self._file.write(records)
        samples: list[Sample] = []
        for event in events:
            if isinstance(event, Sample):
                samples.append(event)
            elif isinstance(event, Histogram):
                value = _summaries.histogram(self._tag(event.name, "histogram"), event)
                self._append(event.time, event.step, value)
            elif isinstance(event, Text):
                content = event.text
                if len(content) > MAX_TEXT:
                    content = f"{content[:MAX_TEXT]}… ({len(event.text):,} characters)"
                value = _summaries.text(self._tag(event.name, "text"), content)
                self._append(event.time, event.step, value)
            elif (shown := _summaries.media(self._tag(event.name, "media"), event)) is not None:
                self._append(event.time, event.step, shown)
        self._write_samples(samples)

    def goes_on_at(self, step: int) -> None:
        """What earlier files have from this step on is void: TensorBoard leaves it out."""
        self._file.write(_summaries.session_start(time.time(), step))

    def config(self, info: RunInfo) -> None:
        """The settings of the run, for the HParams page."""
        # runs of one group would be averaged, and names need not be unique
        self._append(time.time(), 0, _summaries.hparams(info.config, info.id, info.started))

    def end(self, status: str) -> None:
        """How the run ended, for the HParams page."""
        now = time.time()
        self._append(now, 0, _summaries.session_end(status, now))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write_samples(self, samples: Sequence[Sample]) -> None:
        if samples and samples[-1].time >= self._next_samples:
            newest = samples[-_summaries.MAX_SAMPLES :]
            self._next_samples = newest[-1].time + SAMPLE_TABLE_SECONDS
            value = _summaries.text(self._tag("samples", "text"), _summaries.samples_table(newest))
            self._append(newest[-1].time, newest[-1].step, value)

    def _append(self, at: float, step: int, value: bytes) -> None:
        self._file.keep_private(value)
        self._file.write(_summaries.event(at if at == at else self._started, step, [value]))

    def _tag(self, name: str, kind: str) -> str:
        return name if self._kinds.setdefault(name, kind) == kind else f"{name}/{kind}"


def export_tensorboard(
    blocks: Iterable[RowBlock],
    events: Iterable[Event],
    folder: str | os.PathLike[str],
    info: RunInfo,
    status: str = "finished",
) -> list[Path]:
    """Write a recorded run as event files; ranks above 0 into subfolders. Returns the files."""
    files: dict[int, EventFile] = {}

    def file_of(rank: int) -> EventFile:
        if rank not in files:
            files[rank] = EventFile(_rank_folder(Path(folder), rank), started=info.started)
        return files[rank]

    try:
        if info.config:
            file_of(0).config(info)
        # many blocks at a time, so that rows of several shapes can be put in order
        for some_blocks in in_groups(blocks, lambda block: block.values.size, EXPORT_BATCH):
            for rank in sorted({block.rank for block in some_blocks}):
                file_of(rank).write([block for block in some_blocks if block.rank == rank], [])
        stream = iter(events)
        while some := list(itertools.islice(stream, 64)):
            file_of(0).write([], some)
        if info.config:
            file_of(0).end(status)
    finally:
        for file in files.values():
            file.close()
    return [file.path for file in files.values()]


def _second_of_new_file(folder: Path, now: float) -> int:
    """The second in the name of a new file: after those of all the earlier ones.

    TensorBoard reads files in the order of their names, and a file that declares earlier steps void
    has to come last. A run that goes on within a second, or after the clock was set back, would not.
    """
    earlier = (path.name[len(_FILE_NAME) :] for path in folder.glob(f"{_FILE_NAME}*"))
    seconds = [int(second) for name in earlier if (second := name.split(".")[0]).isdecimal()]
    return max(round(now), *(second + 1 for second in seconds)) if seconds else round(now)


def _rank_folder(folder: Path, rank: int) -> Path:
    return folder / f"rank{rank}" if rank else folder
