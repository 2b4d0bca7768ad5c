"""The questions that most rules ask of a series. Each answers with where it holds, or None.

A series or limit that is not there is no answer either, so that nobody has to look first.

| question | detector |
|---|---|
| Is its level beyond a limit, for a share of the run? | `above`, `below` |
| Is its level now a multiple of where it began? | `rose`, `fell` |
| Did it change its level at once, for good? | `jumped` |
| Do single points stick out? | `spiked` |
| Is it the same number again and again? | `constant` |

Levels are those of `signals/level.py`, and a detector speaks only if it is sure. Positive series are
read in logarithms, so that factors count and single large values do not. Minimum rows, severity and
what a good outcome excuses are the engine's business (`@rule(...)`), not the detector's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from runvitals.model import FloatArray, Hit, Limit, Quote, Series, Severity, Span
from runvitals.signals.change import level_shift
from runvitals.signals.frozen import frozen
from runvitals.signals.level import Level, read_level
from runvitals.signals.spikes import spikes

SURE = 0.9  # chance from which on a detector speaks
FOR_SHARE = 0.2  # of the run: a shorter excursion is not a sickness
STILL = 15  # rows at the end: what is beyond its limit for so long goes on
JUMP_SIZE = 3.0  # noises: a smaller step may be chance


@final
@dataclass(frozen=True)
class Detection:
    """Where something holds in a series, and the levels that say so."""

    series: Series
    first: int  # rows
    last: int
    level: float  # there
    before: float = math.nan  # what it is compared with: its start, its lowest, or what is usual
    limit: Limit | None = None
    count: int = 0  # of rows that stick out or are beyond the limit
    chance: float = 1.0
    quotes: Sequence[Quote] = ()  # of texts that show it

    @property
    def span(self) -> Span:
        """The steps."""
        return self.series.span(self.first, self.last)

    @property
    def step(self) -> int:
        """The first step."""
        return int(self.series.steps[self.first])

    @property
    def share(self) -> float:
        """The share of the rows."""
        return (self.last - self.first + 1) / len(self.series)

    @property
    def bound(self) -> float:
        """The value of its limit."""
        return self.limit.value if self.limit is not None else math.nan

    @property
    def times(self) -> float:
        """The level as a multiple of what it is compared with."""
        return self.level / self.before if self.before else math.inf

    def hit(
        self,
        message: str,
        *,
        advice: str = "",
        causes: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
        severity: Severity | None = None,
        beyond_excuse: bool = False,
        grave: bool = False,
        limit: Limit | None = None,
        quotes: Sequence[Quote] = (),
        rank: int | None = None,
    ) -> Hit:
        """This as a hit of a rule."""
        return Hit(
            series=self.series.name,
            span=self.span,
            message=message,
            advice=advice,
            severity=severity,
            causes=causes,
            limit=limit or self.limit,
            also=also,
            beyond_excuse=beyond_excuse,
            grave=grave,
            quotes=tuple(quotes or self.quotes),
            rank=rank,
        )


def stretch(series: Series, first: int = 0, last: int = -1) -> Detection:
    """Rows in which a rule itself has found something: all of them, or from one to another."""
    last = last if last >= 0 else len(series) + last
    return Detection(series, first, last, float(series.values[last]))


def above(
    series: Series | None,
    limit: Limit | float | None,
    *,
    for_share: float = FOR_SHARE,
    to_end: bool = False,
    sure: float = SURE,
) -> Detection | None:
    """Its level is above a limit for more than this share of the run (and at its end).

    It may have begun late: nearly all rows of the last quarter of that share are enough, 15 at least.
    """
    return _beyond(series, limit, 1.0, for_share, to_end, sure)


def below(
    series: Series | None,
    limit: Limit | float | None,
    *,
    for_share: float = FOR_SHARE,
    to_end: bool = False,
    sure: float = SURE,
) -> Detection | None:
    """Its level is below a limit for more than this share of the run (and at its end)."""
    return _beyond(series, limit, -1.0, for_share, to_end, sure)


def exceeds(
    series: Series, limit: Limit, *, for_share: float = FOR_SHARE, to_end: bool = False
) -> Detection | None:
    """Its level is `above` a limit, by factors, whatever lies far below the limit or under 0."""
    positive = replace(series, values=np.maximum(series.values, limit.value / 1000))
    return above(positive, limit, for_share=for_share, to_end=to_end)


def size_of(series: Series) -> Series:
    """The series without its signs."""
    return replace(series, values=np.abs(series.values))


def rose(
    series: Series | None, times: float, *, since_lowest: bool = False, sure: float = SURE
) -> Detection | None:
    """A positive series is now at this many times its level at the start, or at its lowest."""
    return _changed(series, math.log(times), since_lowest, sure)


def fell(
    series: Series | None, to: float, *, since_highest: bool = False, sure: float = SURE
) -> Detection | None:
    """The level of a positive series is now at most this share of its start, or of its highest."""
    return _changed(series, math.log(to), since_highest, sure)


def jumped(series: Series | None, times: float) -> Detection | None:
    """A positive series changed its level at once by this factor, up (or down, below 1), for good."""
    if series is None or not _in_logs(series.values):
        return None
    shift = level_shift(np.log(series.values), size=JUMP_SIZE)
    if shift is None:
        return None
    by, least = shift.after - shift.before, math.log(times)
    if (by < least) if least > 0 else (by > least):
        return None
    return Detection(
        series, shift.at, len(series) - 1, math.exp(shift.after), math.exp(shift.before)
    )


def spiked(series: Series | None, times: float, *, least: float = 0.0) -> Detection | None:
    """Single points jump to this many times the points before them, and above `least`."""
    at = spikes(series.values, ratio=times) if series is not None else np.empty(0, int)
    if series is None or not len(at := at[series.values[at] > least]):
        return None
    top = float(series.values[at].max())
    usual = float(np.median(series.values))
    return Detection(series, int(at[0]), int(at[-1]), top, usual, count=len(at))


def constant(series: Series | None, rows: int, *, value: float | None = None) -> Detection | None:
    """It has had exactly the same value (or this one) for this many rows, up to the end."""
    found = [] if series is None else frozen(series.values, least=rows)
    if series is None or not found or found[-1].last != len(series) - 1:
        return None
    last = found[-1]
    if value is not None and series.last != value:
        return None
    return Detection(series, last.first, last.last, series.last, count=last.points)


def _in_logs(values: FloatArray, *others: float) -> bool:
    return bool(len(values)) and float(values.min()) > 0 and all(one > 0 for one in others)


def _beyond(
    series: Series | None,
    limit: Limit | float | None,
    side: float,
    share: float,
    to_end: bool,
    sure: float,
) -> Detection | None:
    if series is None or limit is None:
        return None
    limit = limit if isinstance(limit, Limit) else Limit(limit, "usual")
    rows = side * series.values > side * limit.value
    if not len(rows):
        return None
    lately = rows[-max(STILL, math.ceil(share / 4 * len(rows))) :]
    if float(rows.mean()) < share / 2 and float(lately.mean()) < 0.5:
        return None
    logs = _in_logs(series.values, limit.value)
    level = read_level(np.log(series.values) if logs else series.values)
    edge = side * (math.log(limit.value) if logs else limit.value)
    paths = side * level.paths
    chance = float(np.mean((paths > edge) @ level.rows / level.points > share))
    if to_end:
        chance = min(chance, float(np.mean(side * level.end > edge)))
    if float(lately.mean()) > sure:  # nearly every row at the end: that needs no statistics
        chance, to_end = 1.0, True
    if chance < sure:
        return None
    first, last = _stretch(paths.mean(axis=0) > edge, level, at_end=to_end)
    middle = float(np.median(series.values[first : last + 1]))
    count = int(rows[first : last + 1].sum())
    return Detection(series, first, last, middle, limit=limit, count=count, chance=chance)


def _stretch(beyond: np.ndarray, level: Level, *, at_end: bool) -> tuple[int, int]:
    """The first and the last row of the longest stretch of blocks, or of the one at the end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], beyond, [False]])))
    starts, ends = edges[::2], edges[1::2]
    rows = np.concatenate([[0], np.cumsum(level.rows)])
    if not len(starts):
        return 0, level.points - 1
    one = len(starts) - 1 if at_end else int(np.argmax(rows[ends] - rows[starts]))
    return int(rows[starts[one]]), int(rows[ends[one]]) - 1


def _changed(
    series: Series | None, by: float, since_extreme: bool, sure: float
) -> Detection | None:
    if series is None or not _in_logs(series.values):
        return None
    logs = np.log(series.values)
    if float(np.ptp(logs)) <= abs(by):
        return None  # no level lies outside what was logged
    level = read_level(logs)
    side = 1.0 if by > 0 else -1.0
    middle = side * level.paths.mean(axis=0)
    base = int(np.argmin(middle)) if since_extreme else 0
    change = side * (level.end - level.paths[:, base])
    chance = float(np.mean(change > abs(by)))
    if chance < sure:
        return None
    rows = np.concatenate([[0], np.cumsum(level.rows)])
    half_way = middle[base] + abs(by) / 2
    under = np.flatnonzero(middle <= half_way)
    first = int(rows[min(int(under[-1]) + 1, len(level.rows) - 1)]) if len(under) else 0
    now, before = math.exp(float(np.median(level.end))), math.exp(float(side * middle[base]))
    return Detection(series, first, len(series) - 1, now, before, chance=chance)
