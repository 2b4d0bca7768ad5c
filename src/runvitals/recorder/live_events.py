"""What a live run records besides numbers: distributions, texts, tables, samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from runvitals.model import Event
from runvitals.recorder.clock import RunClock
from runvitals.recorder.distributions import LazyHistogram, action_histograms
from runvitals.recorder.events import samples_of, table_of, text_of


class RecordsEvents:
    """A run that takes what is not a number; each call is contained, and none of them raises."""

    _clock: RunClock
    _add: Callable[[Mapping[str, Any], int, float], None]

    def _at(self, step: int | None) -> int:
        raise NotImplementedError

    def _keep(self, event: Event | LazyHistogram) -> None:
        raise NotImplementedError

    def _contained(self, what: str) -> AbstractContextManager[None]:
        raise NotImplementedError

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
        """Record a small table, kept as a Markdown text."""
        with self._contained(f"table {name}"):
            self._keep(table_of(name, columns, rows, self._at(step), self._clock.now()))

    def log_samples(
        self, samples: Mapping[str, Any] | Iterable[Mapping[str, Any]], step: int | None = None
    ) -> None:
        """Record model outputs: mappings with prompt, completion, reward, or anything else.

        Takes one mapping, a list of mappings, or a mapping of equally long columns.
        """
        with self._contained("samples"):
            for sample in samples_of(samples, self._at(step), self._clock.now()):
                self._keep(sample)
