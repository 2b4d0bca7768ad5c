"""A run as a reader sees it: identity, config and series, the same for every format."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from runvitals.display import html_of
from runvitals.model.errors import ConfigError
from runvitals.model.expectation import Expectation
from runvitals.model.metric import Certainty
from runvitals.model.points.table import PointTable
from runvitals.model.rollout import Digest, LastDigest
from runvitals.model.row import Event, FloatArray, Histogram, Sample, Text
from runvitals.model.series import Series
from runvitals.model.text import did_you_mean

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


@dataclass(frozen=True)
class OutcomeCurve:
    """An outcome as a few means over steps."""

    steps: FloatArray
    values: FloatArray


@dataclass(frozen=True)
class SiblingCurves:
    """The outcome of a run beside that of its siblings, which have all settings but seeds in common.

    `differs` says which setting the run alone has another value of, with both values; it is empty if
    only seeds differ.
    """

    series: str
    lower_is_better: bool
    own: OutcomeCurve
    others: tuple[OutcomeCurve, ...]
    differs: str = ""


Wanted = Callable[[str], bool]  # of a name
ENDED = frozenset({"finished", "failed", "crashed", "killed", "stopped"})


class Gap(str):
    """A warning that says that points are missing: what is judged is only a part.

    >>> Gap("12 rows were lost").of("log.csv")
    'log.csv: 12 rows were lost'
    """

    __slots__ = ()

    def of(self, place: str) -> Gap:
        """The same, with the file it speaks of."""
        return Gap(f"{place}: {self}")


def in_place(warning: str, place: str) -> str:
    """A warning with the file it speaks of; what says that points are missing goes on saying so.

    >>> in_place("no step column", "log.csv"), type(in_place(Gap("2 rows were lost"), "log.csv"))
    ('log.csv: no step column', <class 'runvitals.model.run.Gap'>)
    """
    return warning.of(place) if isinstance(warning, Gap) else f"{place}: {warning}"


def with_code(status: str, exit_code: int | None) -> str:
    """How a run ended, for people.

    >>> with_code("failed", 3), with_code("finished", 0), with_code("crashed", None)
    ('failed, exit code 3', 'finished', 'crashed')
    """
    return f"{status}, exit code {exit_code}" if exit_code else status


@dataclass(frozen=True, slots=True)
class Binding:
    """What an original name means: the catalog's metric, labels, and the way to its unit and sign.

    `how` says what that rests on: `told` by the user, `canonical`, an `alias` or a `pattern` of a tool,
    `agreed` by all tools that have the name, or its `words` (`phrase` quotes them).
    """

    metric: str
    labels: Mapping[str, str] = field(default_factory=dict)
    convert: Callable[[FloatArray], FloatArray] | None = None
    framework: str | None = None
    how: str = "canonical"
    sure: Certainty = "certain"
    phrase: str = ""


@dataclass
class Run:
    """One training run.

    `run["policy/approx_kl"]` takes a canonical or an original name. Under a canonical name values
    are in the catalog's unit and sign; under the original name they are as logged.
    """

    id: str
    points: PointTable
    name: str = ""
    project: str = ""
    path: Path | None = None
    status: str = "unknown"
    format: str = ""
    framework: str | None = None
    algorithm: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    progress: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    notes: str = ""
    started: float | None = None
    ended: float | None = None
    stopped_by: str | None = None  # the finding that its training heeded
    exit_code: int | None = None  # of its process, where that is known
    settings: Mapping[str, Any] = field(default_factory=dict)  # config under the catalog's keys
    expectations: tuple[Expectation, ...] = ()  # what its script said with `run.expect(...)`
    beside: str = ""  # the far longer run of the same file: then this one is a trial or a roll-out
    counted_by: Mapping[str, str] = field(default_factory=dict)  # names on a step axis of their own
    warnings: list[str] = field(default_factory=list)
    evidence: dict[str, list[str]] = field(default_factory=dict)  # for what was guessed
    bindings: Mapping[str, Binding] = field(default_factory=dict)
    _by_metric: dict[str, list[str]] = field(default_factory=dict, repr=False)
    _agreeing: dict[str, tuple[PointTable, int, bool]] = field(default_factory=dict, repr=False)
    # where it was judged with others
    siblings: SiblingCurves | None = field(default=None, repr=False)
    digest: Digest | None = field(default=None, repr=False)  # of its samples, once they were read
    last_digest: LastDigest = field(default_factory=LastDigest, repr=False)  # while it goes on
    read_events: Callable[[], Iterable[Event]] | None = field(default=None, repr=False)
    read_histograms: Callable[[Wanted], Iterable[Histogram]] | None = field(
        default=None, repr=False
    )
    read_samples: Callable[[], Iterable[Sample]] | None = field(default=None, repr=False)
    read_new: Callable[[Run], int] | None = field(default=None, repr=False)

    # series

    def bind(self, bindings: Mapping[str, Binding]) -> None:
        """Say what the original names mean."""
        self.bindings = bindings
        self._by_metric = {}
        for name, binding in bindings.items():
            self._by_metric.setdefault(binding.metric, []).append(name)

    def names(self) -> list[str]:
        """The names as logged, in order of first appearance."""
        return self.points.names()

    def metrics(self) -> dict[str, list[str]]:
        """Canonical ids that this run has, each with the names it was logged under."""
        found: dict[str, list[str]] = {}
        for name in self.points.names():
            binding = self.bindings.get(name)
            if binding is not None:
                found.setdefault(binding.metric, []).append(name)
        return found

    def select(self, name: str) -> list[Series]:
        """All series of this canonical or original name: several labels, several ranks."""
        bound = self._names_of(name)
        if bound:
            return [s for original in bound for s in self._by_rank(original, canonical=True)]
        return self._by_rank(name, canonical=False)

    def get(self, name: str) -> Series | None:
        """The series of this name, or None. Of several, the plainest: fewest labels, most points."""
        bound = self._names_of(name)
        if not bound:
            return self._series(name, None) if name in self.points else None
        best = min(
            bound,
            key=lambda original: (
                original != name,
                len(self.bindings[original].labels) if original in self.bindings else 0,
                -self.points.size(original),
            ),
        )
        return self._series(best, None, self.bindings.get(best))

    def __getitem__(self, name: str) -> Series:
        series = self.get(name)
        if series is None:
            near = did_you_mean(name, (*self.names(), *self.metrics())) or "names() lists what was"
            raise KeyError(f"{name!r} was not logged in run {self.id!r}; {near}")
        return series

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.points or bool(self._names_of(name)))

    def __iter__(self) -> Iterator[Series]:
        for name in self.points.names():
            yield from self._by_rank(name, canonical=False)

    def __len__(self) -> int:
        return len(self.points.names())

    def abandoned(self, name: str) -> Series:
        """The points that a restart logged anew, under the original name."""
        steps, times, values = self.points.abandoned(name)
        return Series(name, steps, values, times)

    def refresh(self) -> int:
        """Read what was written since; returns the number of new points."""
        return self.read_new(self) if self.read_new is not None else 0

    def follow(self, seconds: float = 1.0) -> Iterator[int]:
        """Wait for new points, again and again: yields how many came. Ends when the run has ended.

        Each round reads only what was appended. A log that does not say when it ends is followed until
        the caller stops.
        """
        while True:
            new = self.refresh()
            if new:
                yield new
            if self.status in ENDED:
                return
            if not new:
                time.sleep(seconds)

    @property
    def missing(self) -> list[str]:
        """The warnings that say that points are missing."""
        return [warning for warning in self.warnings if isinstance(warning, Gap)]

    @property
    def last_step(self) -> int | None:
        """The highest step of any series."""
        return self.points.last_step()

    def _names_of(self, metric: str) -> list[str]:
        return [name for name in self._by_metric.get(metric, ()) if name in self.points]

    def ranks_agree(self, name: str) -> bool:
        """Whether all ranks logged the same values under an original name."""
        known = self._agreeing.get(name)
        if known is None or known[0] is not self.points or known[1] != self.points.count:
            agree = self._ranks_agree(name, self.points.ranks(name))
            known = self._agreeing[name] = (self.points, self.points.count, agree)
        return known[2]

    def _by_rank(self, name: str, *, canonical: bool) -> list[Series]:
        binding = self.bindings.get(name) if canonical else None
        ranks = self.points.ranks(name)
        if len(ranks) > 1 and not self.ranks_agree(name):
            return [self._series(name, rank, binding, rank_label=True) for rank in ranks]
        return [self._series(name, None, binding)] if ranks else []

    def _ranks_agree(self, name: str, ranks: list[int]) -> bool:
        points = self.points
        steps, values = points.clock(name, ranks[0])[0], points.values(name, ranks[0])
        return all(
            np.array_equal(steps, points.clock(name, rank)[0])
            and np.array_equal(values, points.values(name, rank), equal_nan=True)
            for rank in ranks[1:]
        )

    def _series(
        self,
        name: str,
        rank: int | None,
        binding: Binding | None = None,
        *,
        rank_label: bool = False,
    ) -> Series:
        steps, times, values = self.points.column(name, rank)
        labels = dict(binding.labels) if binding is not None else {}
        if rank_label:
            labels["rank"] = str(rank)
        if binding is not None and binding.convert is not None:
            values = binding.convert(values)
        known = binding if binding is not None else self.bindings.get(name)
        return Series(name, steps, values, times, known.metric if known else None, labels)

    # what is not a number

    def events(self) -> Iterable[Event]:
        """Histograms, texts and samples in the order they were logged."""
        return self.read_events() if self.read_events is not None else ()

    def histograms(self, name: str | None = None) -> list[Histogram]:
        """Logged histograms, of one name or of all."""
        return [e for e in self.events() if isinstance(e, Histogram) and name in (None, e.name)]

    def histograms_where(self, wanted: Wanted) -> Iterable[Histogram]:
        """Logged histograms whose names are wanted, and perhaps not all of them if there are many."""
        if self.read_histograms is not None:
            return self.read_histograms(wanted)
        return (e for e in self.events() if isinstance(e, Histogram) and wanted(e.name))

    def texts(self, name: str | None = None) -> list[Text]:
        """Logged texts, of one name or of all."""
        return [e for e in self.events() if isinstance(e, Text) and name in (None, e.name)]

    def samples(self) -> list[Sample]:
        """Logged prompts, completions, rewards."""
        return list(self.read_samples()) if self.read_samples is not None else []

    # tables

    def to_arrow(self, names: Iterable[str] | None = None) -> pyarrow.Table:
        """A long table: name, metric, rank, step, time, value."""
        import pyarrow as pa

        columns: dict[str, list[Any]] = {"rank": [], "step": [], "time": [], "value": []}
        labels: list[str] = []
        metrics: list[str | None] = []
        counts: list[int] = []
        for name in self.names() if names is None else names:
            for rank in self.points.ranks(name):
                steps, times, values = self.points.column(name, rank)
                binding = self.bindings.get(name)
                labels.append(name)
                metrics.append(binding.metric if binding else None)
                counts.append(len(steps))
                columns["rank"].append(np.full(len(steps), rank, np.int32))
                columns["step"].append(steps)
                columns["time"].append(times)
                columns["value"].append(values)
        index = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        kinds = {"rank": np.int32, "step": np.int64, "time": np.float64, "value": np.float64}
        table = {
            "name": pa.DictionaryArray.from_arrays(index, pa.array(labels, pa.string())),
            "metric": pa.array(metrics, pa.string()).take(pa.array(index)),
        }
        for key, kind in kinds.items():
            table[key] = pa.array(np.concatenate(columns[key]) if counts else np.empty(0, kind))
        return pa.table(table)

    def to_pandas(
        self, names: Iterable[str] | None = None, *, wide: bool = False
    ) -> pandas.DataFrame:
        """The long table as a DataFrame; `wide` gives one row a step and one column a name."""
        _check_installed("pandas")
        frame: pandas.DataFrame = self.to_arrow(names).to_pandas()
        if not wide:
            return frame
        frame["name"] = frame["name"].astype(str)
        lowest = frame.groupby("name")["rank"].transform("min")
        kept = frame[frame["rank"] == lowest]
        return kept.pivot_table(
            index="step", columns="name", values="value", aggfunc="last", dropna=False
        )

    def to_polars(self, names: Iterable[str] | None = None) -> polars.DataFrame:
        """The long table as a polars DataFrame."""
        _check_installed("polars")
        import polars

        frame = polars.from_arrow(self.to_arrow(names))
        assert isinstance(frame, polars.DataFrame)
        return frame

    def __repr__(self) -> str:
        return f"<Run {self.id}: {self.status}, {len(self)} series, {self.points.count} points>"

    def _repr_html_(self) -> str | None:
        return html_of(self)


def _check_installed(library: str) -> None:
    """Say what to install, rather than which module is missing."""
    if find_spec(library) is None:
        what = f"to_{library}() needs {library}, which is not installed"
        raise ConfigError(what, hint=f'pip install "runvitals[{library}]", or use to_arrow()')
