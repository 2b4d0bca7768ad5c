"""This server itself, why it did not answer, and its live events."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from runvitals.view.schemas.basics import Words


class About(BaseModel):
    """This server."""

    name: str
    version: str
    roots: list[Words]
    runs: int
    started: float


class Problem(BaseModel):
    """Why a request was not answered."""

    detail: Words


class LiveEvent(BaseModel):
    """One server-sent event of `/api/events`.

    `runs`: the list changed (a run came, went, or its row is new). `points`: a run has new points.
    `findings`: a run was judged again. `looked`: the folders were looked through for new runs.
    """

    type: Literal["runs", "points", "findings", "looked"]
    run: str | None = None
    last_step: int | None = None
    points: int | None = None
    status: Words | None = None
    version: int = 0
