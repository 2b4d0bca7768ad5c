"""A benchmark for run doctors: labelled public training logs, by repository, commit and path."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson

INDEX = Path(__file__).parent / "index.jsonl"
UNCOUNTED = ("unclear", "harmless", "benign", "degraded")


@dataclass(frozen=True)
class LabelledLog:
    """A public log, where it lies, and what a person who read its numbers said of it."""

    log: str  # the name of its folder
    repository: str
    commit: str
    paths: tuple[str, ...]
    label: str  # healthy, sick: what, unclear: why, harmless: why
    confidence: str
    evidence: str

    @property
    def truth(self) -> Literal["sick", "healthy"] | None:
        """What counts; None where a fair reader could not say."""
        if self.label.startswith(UNCOUNTED) or self.confidence == "low":
            return None
        return "healthy" if self.label.startswith("healthy") else "sick"


def labelled_logs(index: Path = INDEX) -> list[LabelledLog]:
    """Every log of the index."""
    rows = [orjson.loads(line) for line in index.read_bytes().splitlines()]
    return [LabelledLog(**{**row, "paths": tuple(row["paths"])}) for row in rows]
