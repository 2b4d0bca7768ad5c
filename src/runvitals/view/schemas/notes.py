"""What people note about runs from the page, where the server may write."""

from __future__ import annotations

from pydantic import BaseModel, Field

from runvitals.view.schemas.basics import Words

MAX_NOTES = 50_000  # characters


class Writing(BaseModel):
    """Whether this server writes, and the word that a page has to say then."""

    writable: bool
    token: str | None = None


class RunNotes(BaseModel):
    """What people noted about a run. It lies beside the runs; no log is ever changed."""

    star: bool = False
    archived: bool = False
    name: Words = Field(default="", max_length=200)
    tags: list[Words] = Field(default=[], max_length=50)
    notes: Words = Field(default="", max_length=MAX_NOTES)


class SavedView(BaseModel):
    """A way to look at the runs of a project: the part of the address that it stands for."""

    name: Words = Field(max_length=100)
    query: Words = Field(max_length=5_000)


class SharedViews(BaseModel):
    """The views of a project that lie beside its runs."""

    views: list[SavedView] = Field(default=[], max_length=200)
    writable: bool = False
