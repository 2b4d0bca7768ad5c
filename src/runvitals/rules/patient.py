"""What a rule is given to look at: the run, how its outcome does, and the settings it was made with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from runvitals.model import HistogramSeries, Limit, Run, Series
from runvitals.rules.histograms import HistogramShelf
from runvitals.rules.outcome.health import Health
from runvitals.rules.outcome.reading import Outcome, read_outcomes
from runvitals.rules.outcome.table import tell
from runvitals.vitals.context import MAX_VALUE, RunContext, has_continuous_actions, setting_number
from runvitals.vitals.ranges import range_of

WARM_UP, WARM_UP_SHARE = 5, 0.02  # points, and the share of the plan (judgement)

T = TypeVar("T")


class Patient:
    """A run under examination. Series are finite and in the catalog's unit and sign."""

    def __init__(self, run: Run, *, until: int | None = None) -> None:
        """`until`: see only what was logged up to this step, as if the run were that far."""
        self.run = run
        self.until = until
        self.whole = self  # what an earlier one is a part of
        self._raw: dict[str, Series | None] = {}
        self._found: dict[str, Series | None] = {}
        self._all: dict[str, list[Series]] = {}
        self._shelf = HistogramShelf(run)
        self._earlier: dict[int, Patient] = {}
        self._answers: dict[Callable[[Patient], Any], Any] = {}

    def earlier(self, until: int) -> Patient:
        """The same patient when it had come only so far.

        It takes its series from this one, so that a run is put in order and converted once, however
        often it is looked at.
        """
        if until not in self._earlier:
            part = self._earlier[until] = Patient(self.run, until=until)
            part.whole = self.whole
        return self._earlier[until]

    def _seen(self, series: Series) -> Series:
        if self.until is None or not len(series) or series.steps[-1] <= self.until:
            return series
        return series.part(0, int(series.steps.searchsorted(self.until, side="right")))

    def once(self, question: Callable[[Patient], T]) -> T:
        """What a function says of this patient, asked only once: for what many rules want to know."""
        if question not in self._answers:
            self._answers[question] = question(self)
        answer: T = self._answers[question]
        return answer

    # series

    def find(self, *metrics: str) -> Series | None:
        """The first of these metrics that has at least one finite value."""
        for metric in metrics:
            if metric not in self._found:
                if self.whole is self:
                    series = self.raw(metric)
                    series = None if series is None else _calm(series)
                else:
                    series = self.whole.find(metric)
                series = None if series is None else self._seen(series)
                self._found[metric] = series if series is not None and len(series) else None
            if (series := self._found[metric]) is not None:
                return series
        return None

    def __getitem__(self, metrics: str) -> Series:
        """A metric that the rule said it needs; `a|b` gives the first there is."""
        series = self.find(*metrics.split("|"))
        if series is None:
            raise KeyError(f"{metrics} was not logged; say that the rule needs it")
        return series

    def all(self, metric: str) -> list[Series]:
        """Every series of a metric: one per label and rank, finite values only."""
        if metric not in self._all:
            whole = self.whole is self
            found = map(_calm, self.run.select(metric)) if whole else self.whole.all(metric)
            self._all[metric] = [one for one in map(self._seen, found) if len(one)]
        return list(self._all[metric])

    def raw(self, metric: str) -> Series | None:
        """A metric with its NaN and infinite values."""
        if metric not in self._raw:
            series = self.run.get(metric) if self.whole is self else self.whole.raw(metric)
            self._raw[metric] = None if series is None else self._seen(series)
        return self._raw[metric]

    def histograms(self, quantity: str) -> list[HistogramSeries]:
        """Logged histograms of `reward`, `advantage` or `action`: one series per name."""
        found = self.whole._shelf.of(quantity)
        if self.until is not None:
            found = [one.until(self.until) for one in found]
        return [one for one in found if len(one)]

    # what it is

    @cached_property
    def context(self) -> RunContext:
        """What is known about the whole run, however early this is."""
        return RunContext(self.run) if self.whole is self else self.whole.context

    @property
    def kind(self) -> str:
        """What kind of training this is: `on-policy`, `llm-rl`, `preference`, ... or `unknown`."""
        return self.context.kind

    def is_any_of(self, families: Iterable[str]) -> bool:
        """Whether it belongs to one of these families, or to an unknown kind, which may be any."""
        return self.kind == "unknown" or not self.context.kinds.isdisjoint(families)

    @property
    def algorithm(self) -> str:
        """Its plain name in capitals, without spaces and hyphens; empty if unknown."""
        return self.context.algorithm

    @cached_property
    def continuous(self) -> bool:
        """True if its actions are real numbers, as far as what is seen tells."""
        return has_continuous_actions(self.run, self.find("policy/entropy"))

    # settings and limits

    def setting(self, key: str) -> Any:
        """A setting of the run under the catalog's key, or None."""
        return self.run.settings.get(key)

    def number(self, key: str) -> float | None:
        """A setting that is a finite number, or None."""
        return setting_number(self.run, key)

    def limit(
        self,
        option: float | None,
        *,
        otherwise: float,
        why: str,
        setting: str | None = None,
        times: float = 1.0,
    ) -> Limit:
        """The limit that holds here: the user's option, the run's own setting, or the usual value."""
        if option is not None:
            return Limit(option, "your option", from_run=True)
        if setting is not None and (value := self.number(setting)) is not None:
            factor = "" if times == 1.0 else f"{times:g} times "
            return Limit(times * value, f"{factor}this run's {setting} {value:g}", from_run=True)
        return Limit(otherwise, why)

    def band(
        self, metric: str, side: Literal["low", "high"] = "high", *, option: float | None = None
    ) -> Limit | None:
        """The end of the catalog's range that holds for a metric of this run; None if there is none.

        The user's option comes first. The same range is what `runvitals vitals` shows.
        """
        if option is not None:
            return Limit(option, "your option", from_run=True)
        found = range_of(self.run, metric, context=self.context)
        value = None if found is None else getattr(found, side)
        if found is None or value is None:
            return None
        return Limit(value, found.source, from_run=found.setting is not None)

    # how far it is

    @property
    def last_step(self) -> int:
        """The last step that was logged."""
        last = self.context.last_step
        return last if self.until is None else min(last, self.until)

    @property
    def planned_steps(self) -> int | None:
        """How many steps the run was meant to have, in the unit of its steps; None if unknown."""
        return self.context.planned_steps

    @property
    def finished(self) -> bool:
        """True if the run has ended by itself."""
        whole = self.until is None or self.until >= self.context.last_step
        return whole and self.run.status == "finished"

    @property
    def progress(self) -> float | None:
        """The share of the plan that is done; None if the plan is unknown."""
        return self.last_step / self.planned_steps if self.planned_steps else None

    # how it does

    @cached_property
    def health(self) -> Health:
        """How it does, by its outcomes."""
        return tell(self, read_outcomes(self))

    @property
    def outcome(self) -> Outcome | None:
        """The series its health rests on; None if no outcome was logged."""
        return self.health.main

    @property
    def training(self) -> Outcome | None:
        """The outcome on what it is trained with."""
        return self.health.outcomes.training

    @property
    def held_out(self) -> Outcome | None:
        """The outcome on data or episodes it is not trained with."""
        return self.health.outcomes.held_out

    def after_warm_up(self, series: Series) -> Series:
        """The series without its first points: 5 of them, or 2% of the plan if that is more."""
        skip = WARM_UP
        if self.planned_steps:
            skip = max(skip, int(np.searchsorted(series.steps, WARM_UP_SHARE * self.planned_steps)))
        return series.part(skip)


def _calm(series: Series) -> Series:
    """The finite values of a series, the largest cut."""
    series = series.finite()
    if not len(series) or max(-series.values.min(), series.values.max()) <= MAX_VALUE:
        return series
    return Series(
        series.name,
        series.steps,
        np.clip(series.values, -MAX_VALUE, MAX_VALUE),
        series.times,
        series.metric,
        series.labels,
    )
