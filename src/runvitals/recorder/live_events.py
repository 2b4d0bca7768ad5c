"""What a live run records besides numbers: distributions, texts, tables, samples, media."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from runvitals.model import Event
from runvitals.recorder.distributions import LazyHistogram, action_histograms
from runvitals.recorder.events import Lazy, samples_of, table_of, text_of
from runvitals.recorder.media import LazyMedia

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


class RecordsEvents(ABC):
    """A run that takes what is not a number; each call is contained, and none of them raises."""

    _clock: RunClock
    _add: Callable[[Mapping[str, Any], int, float], None]

    @abstractmethod
    def _at(self, step: int | None) -> int: ...

    @abstractmethod
    def _keep(self, event: Event | Lazy) -> None: ...

    @abstractmethod
    def _contained(self, what: str) -> AbstractContextManager[None]: ...

    @abstractmethod
    def complain(self, cause: str, text: str) -> None:
        """Warn of something, once per cause."""

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
            self._keep(table_of(name, columns, rows, self._at(step), now, self.complain))

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
