"""What is not a number: histograms, samples, the console, what happened when."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from runvitals.view.schemas.basics import Severity, Words


class Heatmap(BaseModel):
    """A histogram over time on common edges: `counts[i][j]` lie at `steps[i]` in bin j."""

    name: Words
    steps: list[int]
    edges: list[float]
    counts: list[list[float]]
    total: int


class SampleRow(BaseModel):
    """One logged sample. `id` is what the `samples` of findings call it, if it is a text."""

    index: int
    id: str = ""
    step: int
    time: float | None
    fields: dict[Words, Any]


class Samples(BaseModel):
    """A page of samples. `total` counts all that match; `fields` and `steps` are of all samples."""

    total: int
    offset: int
    fields: list[Words]
    steps: list[int]
    samples: list[SampleRow]


class MediaItem(BaseModel):
    """An image, a sound, a video or a table of a run.

    `file` is its name for `/media/{file}`, `data` its content as a data URL where it is embedded.
    The `rows` of a table are texts, the first of them its columns.
    """

    name: Words
    step: int
    kind: Literal["image", "audio", "video", "table"]
    caption: Words = ""
    file: str | None = None
    data: str | None = None
    rows: list[list[Words]] = []


class RunMedia(BaseModel):
    """Images, sounds, videos and tables in the order of steps: the latest of each name."""

    items: list[MediaItem]


class Console(BaseModel):
    """The last lines of the console log."""

    source: Words | None
    lines: list[Words]
    truncated: bool


class RunEvent(BaseModel):
    """Something that happened.

    It began, was resumed or ended; a finding opened or closed, or was judged to hold from `step` to
    `last_step`; the learning rate changed; a checkpoint was written; a text was logged.
    """

    kind: Literal["start", "restart", "end", "finding", "rate", "checkpoint", "text"]
    step: int | None
    time: float | None
    name: Words
    text: Words
    severity: Severity | None = None
    change: Literal["opened", "worsened", "closed"] | None = None
    last_step: int | None = None


class RunEvents(BaseModel):
    """Events of a run in the order of time."""

    events: list[RunEvent]
