"""The page of one run."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from runvitals.view.schemas.basics import Scalar, Words
from runvitals.view.schemas.charts import Chart
from runvitals.view.schemas.judgement import Judgement, VerdictCard
from runvitals.view.schemas.notes import RunNotes
from runvitals.view.schemas.run_list import RunRow


class ProcessLife(BaseModel):
    """One process that wrote the run: the first, and one for each time it was resumed."""

    number: int
    first_step: int
    last_step: int
    began: float | None
    ended: float | None


class VitalSign(BaseModel):
    """A metric's level beside the range that holds for it here, and whose range that is.

    `range` is it in words; `low` and `high` are its ends, null where it is open. `place` is where the
    level lies: inside, above or below. `since` is the step from which on it is out of range. `alarm` is
    the code of a finding that alarms about it: the state of one that lies inside is then `alarm`.
    """

    name: Words
    metric: str
    level: float | None = None
    low: float | None = None
    high: float | None = None
    range: str
    source: Words
    why: Words = ""
    state: Literal["in range", "out of range", "borderline", "alarm", "too early"]
    place: str | None = None
    since: int | None = None
    all_along: bool = False
    alarm: str | None = None


class ChangedSetting(BaseModel):
    """A setting that differs from the framework's default."""

    key: Words
    value: Scalar
    default: Scalar


class FrameworkDefaults(BaseModel):
    """How a run's settings differ from the defaults of a version of its framework.

    `compared` is the number of settings that the run and the table of defaults share.
    """

    framework: str
    version: str
    algorithm: str
    compared: int
    changed: list[ChangedSetting]


class RunDetail(Judgement, RunRow):
    """All of a run but its points.

    `progress` is what the trainer noted about it; `lives` are the processes that wrote it, the latest
    of them if there were many. `eta_seconds` is how long a running run will still take at its pace,
    null unless the plan is known. `vitals` are all metrics that have a range. `not_understood` are
    names that mention a loss or an outcome and have no meaning in the catalog, the first of them if
    there were many. `settings_file` is the user's file that the rules went by, null if there is none.
    """

    verdict: VerdictCard | None = None
    noted: RunNotes = RunNotes()
    judging: bool = False
    notes: Words = ""
    full_config: dict[Words, Any] = {}
    settings: dict[Words, Scalar] = {}
    defaults: FrameworkDefaults | None = None
    provenance: dict[Words, Any] = {}
    progress: dict[Words, Any] = {}
    lives: list[ProcessLife] = []
    eta_seconds: float | None = None
    summary: dict[Words, Any] = {}
    warnings: list[Words] = []
    vitals: list[VitalSign] = []
    charts: list[Chart] = []
    has_samples: bool = False
    has_media: bool = False
    has_console: bool = False
    x_axes: list[Words] = ["step", "time", "relative"]


class Milestones(BaseModel):
    """Some steps of a run, in their order, and where they lie on another axis."""

    steps: list[int]
    x: list[float]
