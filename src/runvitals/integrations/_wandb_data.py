"""What W&B scripts log besides numbers: histograms and tables, and what we accept and do not keep."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np


class WandbHistogram:
    """A distribution, from values or from `numpy.histogram`."""

    def __init__(self, sequence: Any = None, np_histogram: Any = None, num_bins: int = 64) -> None:
        self.num_bins = num_bins
        if np_histogram is not None:
            counts, edges = (np.asarray(one, dtype=float) for one in np_histogram)
            middles = (edges[:-1] + edges[1:]) / 2
            sequence = np.repeat(middles, counts.astype(int))
        self.values = sequence


class WandbTable:
    """Rows with named columns."""

    def __init__(
        self,
        columns: Sequence[str] | None = None,
        data: Any = None,
        rows: Any = None,
        dataframe: Any = None,
        **_: Any,
    ) -> None:
        given = dataframe if dataframe is not None else data
        if hasattr(given, "columns") and hasattr(given, "itertuples"):
            columns = columns or [str(one) for one in given.columns]
            given = given.itertuples(index=False)
        self.columns = list(columns or ("Input", "Output", "Expected"))
        self.data: list[list[Any]] = [
            list(row) for row in (given if given is not None else rows or ())
        ]

    def add_data(self, *row: Any) -> None:
        """Add a row."""
        self.data.append(list(row))

    def add_column(self, name: str, data: Iterable[Any]) -> None:
        """Add a column."""
        self.columns.append(name)
        for row, value in zip(self.data, data, strict=True):
            row.append(value)

    def get_column(self, name: str) -> list[Any]:
        """One column."""
        return [row[self.columns.index(name)] for row in self.data]


class Media:
    """Something to look at or listen to."""

    def __init__(self, *_: Any, caption: str | None = None, **__: Any) -> None:
        self.caption = caption


class Image(Media):
    """Accepted and not recorded."""


class Video(Media):
    """Accepted and not recorded."""


class Audio(Media):
    """Accepted and not recorded."""


class Html(Media):
    """Accepted and not recorded."""


class Artifact:
    """Accepted and not stored: runvitals keeps no models and no files."""

    def __init__(self, name: str, type: str = "", *_: Any, metadata: Any = None, **__: Any) -> None:
        self.name, self.type, self.metadata = name, type, metadata

    def add_file(self, *_: Any, **__: Any) -> None:
        """Nothing."""

    add_dir = add_reference = add = add_file

    def new_file(self, *_: Any, **__: Any) -> Any:
        """A file that nobody reads."""
        return open(os.devnull, "w")

    def wait(self, *_: Any, **__: Any) -> Artifact:
        """At once."""
        return self


class WandbSettings(SimpleNamespace):
    """Any settings of W&B; none of them matters here."""


class AlertLevel:
    """How urgent an alert is."""

    INFO, WARN, ERROR = "INFO", "WARN", "ERROR"
