"""Numbers, times, names and curves as short text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from runvitals.model.row import FloatArray
from runvitals.model.text import terminal_safe


@dataclass(frozen=True, slots=True)
class Signs:
    """The special characters of an output."""

    bars: str
    up: str
    down: str
    flat: str
    dash: str
    dots: str
    rule: str


UNICODE = Signs(bars="▁▂▃▄▅▆▇█", up="▲", down="▼", flat="·", dash="–", dots="…", rule="─")
ASCII = Signs(bars="_.-=+*%#", up="^", down="v", flat="=", dash="..", dots="...", rule="-")

# last parts of names that say nothing alone: `response_length/mean`
GENERIC = {"mean", "std", "min", "max", "median", "var", "sum", "avg", "loss", "total", "value"}


def signs_for(encoding: str | None) -> Signs:
    """What a stream with this encoding can show.

    >>> signs_for("ascii").up, signs_for("utf-8").up
    ('^', '▲')
    """
    try:
        "".join([UNICODE.bars, UNICODE.up, UNICODE.dots, UNICODE.rule]).encode(encoding or "ascii")
    except (UnicodeError, LookupError):
        return ASCII
    return UNICODE


def number(value: float, digits: int = 4) -> str:
    """A few digits, in the form a person would write.

    >>> [number(v) for v in (0, 3, 121.4321, 0.00812, -41230.4, 3e-7, 2.5e9, float("nan"))]
    ['0', '3', '121.4', '0.00812', '-41,230', '3e-07', '2.5e+09', 'nan']
    >>> [number(v, 2) for v in (0.1234, 250.3, 999.7)]
    ['0.12', '250', '1,000']
    """
    size = abs(value)
    if not math.isfinite(value):
        return str(value)
    if size and (size < 1e-4 or size >= 1e9):
        return f"{value:.3g}"
    if size >= 100:
        digits = max(digits, 3)  # no exponent for a few hundred
    if size >= 1000 - 0.5 * 10.0 ** (3 - digits) or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def short_number(value: float) -> str:
    """Three digits, or all before the point: as much as a sentence needs.

    >>> short_number(0.12345), short_number(66_123.4)
    ('0.123', '66,123')
    """
    return number(value, 3)


def duration(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> duration(59.7), duration(3725), duration(200_000)
    ('0:59', '1:02:05', '2d 7:33:20')
    """
    if not math.isfinite(seconds):
        return "?"
    minutes, seconds = divmod(int(max(0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}d {hours}:{minutes:02}:{seconds:02}"
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def sparkline(
    values: FloatArray, width: int, signs: Signs = UNICODE, span: tuple[float, float] | None = None
) -> str:
    """A curve in one line; gaps stay blank. `span` is the scale, if not the curve's own.

    >>> sparkline(np.arange(8.0), 8), sparkline(np.array([1.0, np.nan, 1.0]), 8)
    ('▁▂▃▄▅▆▇█', '▄ ▄')
    """
    if len(values) > width:
        values = _resample(values, width)
    shown = np.isfinite(values)
    if not shown.any():
        return " " * len(values)
    low, high = span or (values[shown].min(), values[shown].max())
    if high > low:
        with np.errstate(invalid="ignore", over="ignore"):
            share = values / 2 - low / 2  # halves, so that the widest spans do not overflow
            levels = np.nan_to_num(share / (high / 2 - low / 2) * (len(signs.bars) - 1))
    else:
        levels = np.full(len(values), (len(signs.bars) - 1) // 2)
    places = levels.round().clip(0, len(signs.bars) - 1).astype(int).tolist()
    return "".join(
        signs.bars[i] if ok else " " for i, ok in zip(places, shown.tolist(), strict=True)
    )


def _resample(values: FloatArray, width: int) -> FloatArray:
    """Means over `width` stretches of nearly equal length, NaN where a stretch is empty."""
    starts = np.arange(width) * len(values) // width
    known = np.isfinite(values)
    counts = np.add.reduceat(known.astype(float), starts)
    sums = np.add.reduceat(np.where(known, values, 0.0), starts)
    means = np.full(width, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def short_names(names: Sequence[str]) -> list[str]:
    """The shortest endings that still tell the names apart.

    >>> short_names(["train/approx_kl", "response_length/mean", "a/lr", "b/lr"])
    ['approx_kl', 'response_length/mean', 'a/lr', 'b/lr']
    """
    parts = [name.split("/") for name in names]
    taken = [2 if len(p) > 1 and p[-1].split("@")[0] in GENERIC else 1 for p in parts]
    while True:
        short = ["/".join(p[-k:]) for p, k in zip(parts, taken, strict=True)]
        clashing = [i for i in _repeated(short) if taken[i] < len(parts[i])]
        if not clashing:
            return [terminal_safe(" ".join(name.split())) or repr(name) for name in short]
        for i in clashing:
            taken[i] += 1


def _repeated(names: Iterable[str]) -> list[int]:
    seen: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        seen.setdefault(name, []).append(i)
    return [i for places in seen.values() if len(places) > 1 for i in places]


def counted(count: int, noun: str) -> str:
    """A number and its noun, in the plural where it needs one.

    >>> counted(1, "setting"), counted(2_500, "point")
    ('1 setting', '2,500 points')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def how_often(count: int) -> str:
    """How often, in words.

    >>> how_often(1), how_often(2)
    ('once', '2 times')
    """
    return "once" if count == 1 else f"{count:,} times"
