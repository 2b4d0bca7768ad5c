"""What a live run can be told beside numbers, what it derives from them, and its facts."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from runvitals.metrics.running import EpochTracker
from runvitals.model import Event, RunInfo
from runvitals.recorder.complaints import Complaints
from runvitals.recorder.config import flat_config, json_safe
from runvitals.recorder.events import (
    Lazy,
    LazyHistogram,
    action_histograms,
    samples_of,
    table_of,
    text_of,
)
from runvitals.recorder.flusher import Flusher
from runvitals.recorder.media import LazyMedia
from runvitals.recorder.pending import PendingValues, Timing
from runvitals.recorder.upkeep import Upkeep

AHEAD_SECONDS = 1.0  # by which the wall clock has to be ahead to be followed


class RunClock:
    """Unix seconds that pass like a stopwatch, begun with the wall clock.

    A clock that is set back is not followed. One that is far ahead is: the machine slept, or its clock
    was wrong at first.
    """

    def __init__(self) -> None:
        self.offset = time.time() - time.monotonic()

    def now(self) -> float:
        """The time of a row; `log` itself adds the offset, to spare the call."""
        return time.monotonic() + self.offset

    def follow(self) -> None:
        """Look at the wall clock; now and then will do."""
        ahead = time.time() - time.monotonic() - self.offset
        if ahead > AHEAD_SECONDS:
            self.offset += ahead


class Contained:
    """A part of a live run: what goes wrong in its calls is said once, and none of them raises."""

    _complaints: Complaints

    def _contained(self, what: str) -> AbstractContextManager[None]:
        return self._complaints.contain(what)


class RecordsEvents(Contained, ABC):
    """A run that takes what is not a number."""

    _clock: RunClock
    _add: Callable[[Mapping[str, Any], int, float], None]

    @abstractmethod
    def _at(self, step: int | None) -> int: ...

    @abstractmethod
    def _keep(self, event: Event | Lazy) -> None: ...

    def log_histogram(
        self, name: str, values: Any, step: int | None = None, *, bins: int = 64
    ) -> None:
        """Record the distribution of an array."""
        with self._contained(f"histogram {name}"):
            self._keep(
                LazyHistogram.snapshot(name, self._at(step), self._clock.now(), values, bins)
            )

    def log_actions(self, counts: Any, step: int | None = None, *, name: str = "replica") -> None:
        """Record how often each discrete action was chosen, from counts per action.

        Shares are logged as `action_<name>_<i>`, distributions as `Actions/<name>_<i>`.
        """
        with self._contained(f"actions {name}"):
            shares, histograms = action_histograms(name, counts, self._at(step), self._clock.now())
            for histogram in histograms:
                self._keep(histogram)
            self._add(shares, self._at(step), self._clock.now())

    def log_text(self, name: str, text: str, step: int | None = None) -> None:
        """Record a text."""
        with self._contained(f"text {name}"):
            self._keep(text_of(name, text, self._at(step), self._clock.now()))

    def log_table(
        self,
        name: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        step: int | None = None,
    ) -> None:
        """Record a table of up to a million characters, kept as a Markdown text."""
        with self._contained(f"table {name}"):
            now = self._clock.now()
            self._keep(table_of(name, columns, rows, self._at(step), now, self._complaints.say))

    def log_image(
        self, name: str, image: Any, step: int | None = None, *, caption: str = ""
    ) -> None:
        """Record a picture: an array or tensor (height, width, channels), a Pillow image, a Matplotlib
        figure, or a PNG, JPEG, GIF or WebP file as bytes or path. Floats lie in 0 to 1.

        Arrays are encoded in the background. A file has at most 32 MiB, those of a run 1 GiB.
        """
        with self._contained(f"image {name}"):
            at, now = self._at(step), self._clock.now()
            self._keep(LazyMedia.snapshot("image", name, at, now, image, caption=caption))

    def log_audio(
        self,
        name: str,
        sound: Any,
        step: int | None = None,
        *,
        sample_rate: int = 16_000,
        caption: str = "",
    ) -> None:
        """Record a sound: an array of samples (floats in -1 to 1, or 16-bit integers), kept as WAV, or
        a WAV, MP3, Ogg or FLAC file as bytes or path. The limits are those of `log_image`.
        """
        with self._contained(f"audio {name}"):
            at, now = self._at(step), self._clock.now()
            rate = int(sample_rate)
            self._keep(
                LazyMedia.snapshot("audio", name, at, now, sound, caption=caption, rate=rate)
            )

    def log_video(
        self, name: str, video: bytes | str | Path, step: int | None = None, *, caption: str = ""
    ) -> None:
        """Record an MP4, WebM or GIF file, given as bytes or path; limits as for `log_image`."""
        with self._contained(f"video {name}"):
            at, now = self._at(step), self._clock.now()
            self._keep(LazyMedia.snapshot("video", name, at, now, video, caption=caption))

    def log_samples(
        self, samples: Mapping[str, Any] | Iterable[Mapping[str, Any]], step: int | None = None
    ) -> None:
        """Record model outputs: mappings with prompt, completion, reward, or anything else.

        Takes one mapping, a list of mappings, or a mapping of equally long columns.
        """
        with self._contained("samples"):
            for sample in samples_of(samples, self._at(step), self._clock.now()):
                self._keep(sample)


class RecordsExtras(Contained, ABC):
    """A run that takes timings, counts and reward breakdowns."""

    _pending: PendingValues
    _step: int

    @abstractmethod
    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        """Record numbers by name."""

    def timer(self, stage: str, tokens: float | None = None) -> AbstractContextManager[Timing]:
        """Time a stage: `timing_s/<stage>` is added to the next `log`.

        With tokens (given here or set on the object that `with` yields) also
        `timing_per_token_ms/<stage>`.
        """
        return self._pending.timer(stage, tokens)

    def count(self, **amounts: float) -> None:
        """Add to `env_steps`, `updates`, `tokens`, `samples`, `episodes` or a counter of your own.

        Totals (`progress/...`) and rates (`throughput/..._per_s`) are added to the next `log`.
        """
        with self._contained("counters"):
            self._pending.count(amounts)

    def log_reward_breakdown(
        self,
        total: Any,
        parts: Mapping[str, Any],
        penalties: Mapping[str, Any] | None = None,
        step: int | None = None,
        *,
        name: str = "reward",
    ) -> None:
        """Record a reward with what it is made of: total = sum of parts - sum of penalties.

        A total that does not add up is logged all the same, and warned about.
        """
        with self._contained(f"the breakdown of {name}"):
            penalties = penalties or {}
            self.log({name: total, **parts, **penalties}, step)
            numbers = [float(v) for v in (total, *parts.values(), *penalties.values())]
            plus, minus = numbers[1 : 1 + len(parts)], numbers[1 + len(parts) :]
            expected = sum(plus) - sum(minus)
            scale = max(map(abs, numbers), default=0.0)
            # room for parts that were summed in 32 bits (judgement)
            if abs(numbers[0] - expected) > 1e-4 * scale + 1e-9:
                self._complaints.say(
                    f"breakdown {name}",
                    f"{name} is {numbers[0]:g} at step {self._step}, but its parts add up to "
                    f"{expected:g}; is a part missing, or a penalty given as a part?",
                )

    def epoch(self) -> EpochTracker:
        """A tracker of epoch averages and trends; log what its `end()` gives."""
        return EpochTracker()


class DescribesItself(Contained):
    """A run with a name and a folder, whose settings and other facts may change."""

    _info: RunInfo
    _upkeep: Upkeep | None
    _flusher: Flusher

    @property
    def id(self) -> str:
        """The run's id, the name of its folder."""
        return self._info.id

    @property
    def info(self) -> RunInfo:
        """What its sinks know of it."""
        return self._info

    @property
    def name(self) -> str:
        """The run's name, for people."""
        return self._info.name

    @property
    def project(self) -> str:
        """The project it belongs to."""
        return self._info.project

    @property
    def folder(self) -> Path:
        """Where everything is written."""
        return self._info.folder

    @property
    def rank(self) -> int:
        """This process among the workers of one job; 0 for a single process."""
        return self._info.rank

    @property
    def began(self) -> float:
        """When this process began to record it, in Unix seconds."""
        return self._info.started

    @property
    def resumed(self) -> bool:
        """Whether an earlier process wrote this run already."""
        return self._info.segment > 1

    @property
    def config(self) -> dict[str, Any]:
        """The settings, flat; change them with `update_config`."""
        return dict(self._info.config)

    def update_config(self, config: Any = None, /, **settings: Any) -> None:
        """Add settings: any mapping, dataclass, argparse, pydantic or OmegaConf object."""
        with self._contained("config"):
            self._info.config = {
                **self._info.config,
                **flat_config(config),
                **flat_config(settings),
            }
            if self._upkeep is not None:
                self._upkeep.info_changed("config")

    def describe(self, *, framework: str | None = None, algorithm: str | None = None) -> None:
        """Say what trains here, which decides what its names mean; None leaves what is known."""
        self._info.framework = framework or self._info.framework
        self._info.algorithm = algorithm or self._info.algorithm
        if self._upkeep is not None:
            self._upkeep.info_changed("framework", "algorithm")

    def learn(self, **facts: Any) -> None:
        """Add facts about where the run came from, and how it ended, to its provenance."""
        with self._contained("provenance"):
            if self._upkeep is not None:
                self._upkeep.learn(json_safe(facts))

    @property
    def summary(self) -> dict[str, Any]:
        """Your own final numbers: `run.summary["best_return"] = 210`; written to run.json."""
        return self._upkeep.summary if self._upkeep is not None else {}

    def progress(self, **fields: Any) -> dict[str, Any]:
        """Note progress in `training_progress.json`: completed_chunks, latest_checkpoint, total_steps.

        Gives everything noted so far, also by an earlier process that this one resumed.
        """
        with self._contained("progress"):
            if fields and self._upkeep is not None:
                self._info.progress = {**self._info.progress, **json_safe(fields)}
                self._upkeep.progress_changed = True
                self._flusher.wake.set()
        return dict(self._info.progress)
