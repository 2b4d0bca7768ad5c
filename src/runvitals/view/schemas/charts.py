"""The charts of a run, and the series in each."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from runvitals.view.schemas.basics import ChartKind, Section, Words


class SeriesName(BaseModel):
    """One series of a chart. `key` is what to ask `/series` for: its name, unless ranks differ.

    `of_ranks` says that it is the lowest, median or highest value over all ranks at each step; `told`
    that a finding points at this rank.
    """

    key: Words
    name: Words
    metric: str | None = None
    labels: dict[Words, Words] = {}
    rank: int | None = None
    of_ranks: Literal["lowest", "median", "highest"] | None = None
    told: bool = False
    points: int
    nonfinite: int = 0
    first_step: int | None = None
    last_step: int | None = None
    last: float | None = None


class HealthyBand(BaseModel):
    """A healthy range, or a limit beyond which something is wrong, and whose. Open ends are null."""

    low: float | None
    high: float | None
    source: Words


class Chart(BaseModel):
    """One chart, in the place where a practitioner reads it. `findings` are indices of the run's.

    `ranks` is how many ranks logged different values; of many, `names` has the range over all of them
    and the few that findings name or that lie outermost.
    """

    key: Words
    section: Section
    title: Words
    names: list[SeriesName]
    ranks: int = 0
    kind: ChartKind = "line"
    metric: str | None = None
    meaning: str = ""
    unit: str = ""
    direction: Literal["higher", "lower", "target", "neutral"] = "neutral"
    band: HealthyBand | None = None
    limit: HealthyBand | None = None
    essential: bool = False
    findings: list[int] = []
