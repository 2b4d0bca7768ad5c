"""What W&B scripts use besides numbers: config, summary, histograms, tables, and what is not kept.

`wandb.config` and `wandb.summary` are mappings that also write to the recorded run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from runvitals.recorder.live import LiveRun


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


class WandbMedia:
    """Something to look at or listen to."""

    def __init__(self, *_: Any, caption: str | None = None, **__: Any) -> None:
        self.caption = caption


class Image(WandbMedia):
    """Accepted and not recorded."""


class Video(WandbMedia):
    """Accepted and not recorded."""


class Audio(WandbMedia):
    """Accepted and not recorded."""


class Html(WandbMedia):
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


class Config(MutableMapping[str, Any]):
    """`wandb.config`: a mapping with attributes, kept in the run's config."""

    def __init__(self, recorded: LiveRun | None = None) -> None:
        object.__setattr__(self, "_items", {})
        object.__setattr__(self, "_recorded", recorded)

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def __delitem__(self, key: str) -> None:
        del self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __getattr__(self, key: str) -> Any:
        try:
            return self._items[key]
        except KeyError:
            raise AttributeError(f"config has no {key!r}") from None

    def __setattr__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def update(self, d: Any = (), allow_val_change: bool | None = None, /, **more: Any) -> None:
        """Add settings; W&B's `allow_val_change` changes nothing here."""
        from runvitals.recorder.config import as_mapping

        more.pop("allow_val_change", None)
        new = {**(as_mapping(d) if d else {}), **more}
        self._items.update({str(key): value for key, value in new.items()})
        if self._recorded is not None:
            self._recorded.update_config(new)

    def setdefaults(self, d: Mapping[str, Any]) -> None:
        """Add settings that are not there."""
        self.update({key: value for key, value in d.items() if key not in self._items})

    def as_dict(self) -> dict[str, Any]:
        """All of them."""
        return dict(self._items)


class WandbSummary(dict[str, Any]):
    """`wandb.summary`: the last value of each name, and what the script adds."""

    def __init__(self, recorded: LiveRun | None = None) -> None:
        super().__init__()
        self._recorded = recorded

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        if self._recorded is not None:
            self._recorded.summary[key] = value

    def update(self, values: Any = (), **more: Any) -> None:  # type: ignore[override]
        """Add numbers of your own."""
        for key, value in {**dict(values), **more}.items():
            self[key] = value

    def note(self, values: Mapping[str, Any]) -> None:
        """Take over what was logged."""
        super().update(values)
