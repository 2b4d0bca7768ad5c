"""A judged run as lists, comparisons and the cache keep it: as text, since most is never asked for."""

import base64
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import orjson
from pydantic import BaseModel, ConfigDict, TypeAdapter

from runvitals.model import Diagnosis, Finding, NotChecked, Run, Series, all_findings
from runvitals.render.judged import Evidence, Judged, judged, shown_path
from runvitals.view.json_safe import visible
from runvitals.view.run.figures import FiguresOfRun, figures_of
from runvitals.view.run.row import judged_row
from runvitals.view.schemas.judgement import Judgement, seen
from runvitals.view.schemas.run import RunRow

MAX_NAMES = 20  # that were not understood; `runvitals names` has them all
MAX_LISTS = 1_000  # of rules that were not checked, read once for all runs that share one


class _Said(BaseModel):
    """`Judged` as it is written down."""

    model_config = ConfigDict(ser_json_inf_nan="strings", arbitrary_types_allowed=True)

    judged: Judged  # without evidence and what was not checked
    not_checked: str  # as JSON: runs of one tool share it, and it is longer than all the rest


_FINDINGS = TypeAdapter(tuple[Finding, ...])
_NOT_CHECKED = TypeAdapter(tuple[NotChecked, ...])


@dataclass
class KeptRun:
    """The line of a run in lists, and as JSON what was said of it and its metrics in figures.

    `said` is None as long as it was not judged. `evidence` is only for the cache.
    """

    row: RunRow
    said: str | None = None
    figures_json: str = "{}"
    evidence: str = "{}"

    @property
    def judged(self) -> Judged:
        """What was said, without the series that findings point at."""
        assert self.said is not None
        return read_judged(self.said)

    @property
    def judgement(self) -> Judgement:
        """The same as its page shows it; without a verdict as long as it was not judged."""
        return Judgement() if self.said is None else judgement_of(self.judged)

    @property
    def findings(self) -> list[Finding]:
        """All findings, each before its consequences, read without the rest of what was said."""
        if self.said is None:
            return []
        diagnosis = orjson.loads(self.said)["judged"]["diagnosis"]
        return list(all_findings(_FINDINGS.validate_python(diagnosis["findings"])))

    @property
    def figures(self) -> FiguresOfRun:
        """Its metrics in a few figures each; none as long as it was not judged."""
        return FiguresOfRun(orjson.loads(self.figures_json))


def kept_run(run: Run, found: Diagnosis, one: Judged | None = None) -> KeptRun:
    """Keep a run that was judged. Where it lies is added to its row when it is shown."""
    one = one or judged(run, found, shown_path(run))
    row = judged_row(run, found)
    bare = replace(found, not_checked=())
    said = _Said.model_construct(
        judged=replace(one, diagnosis=bare, evidence={}),
        not_checked=_NOT_CHECKED.dump_json(found.not_checked).decode(),
    )
    return KeptRun(
        row=row,
        said=said.model_dump_json(),
        figures_json=orjson.dumps(figures_of(run, row.outcome)).decode(),
        evidence=orjson.dumps({n: _written(e) for n, e in one.evidence.items()}).decode(),
    )


def read_judged(said: str, evidence: str = "{}") -> Judged:
    """The judgement to the last bit. Raises `ValidationError` if it is of another version."""
    kept = _Said.model_validate_json(said)
    diagnosis = replace(kept.judged.diagnosis, not_checked=_not_checked(kept.not_checked))
    series = {name: _evidence(one) for name, one in orjson.loads(evidence).items()}
    return replace(kept.judged, diagnosis=diagnosis, evidence=series)


@lru_cache(maxsize=MAX_LISTS)
def _not_checked(text: str) -> tuple[NotChecked, ...]:
    return _NOT_CHECKED.validate_json(text)


def _written(one: Evidence) -> list[Any]:
    series = one.series
    numbers = (("<i8", series.steps), ("<f8", series.values), ("<f8", series.times))
    return [
        one.tool,
        series.name,
        series.metric,
        dict(series.labels),
        *(base64.b64encode(np.ascontiguousarray(n, k).tobytes()).decode() for k, n in numbers),
    ]


def _evidence(kept: list[Any]) -> Evidence:
    tool, name, metric, labels, *numbers = kept
    steps, values, times = (
        np.frombuffer(base64.b64decode(text), kind)
        for text, kind in zip(numbers, ("<i8", "<f8", "<f8"), strict=True)
    )
    return Evidence(Series(name, steps, values, times, metric, labels), tool)


def judgement_of(one: Judged) -> Judgement:
    """The diagnosis, findings about the run first, and what could not be judged."""
    said = seen(Judgement, one.diagnosis)
    said.findings.sort(key=lambda finding: finding.about_log)
    said.nothing_to_judge = one.nothing_to_judge and visible(one.nothing_to_judge)
    said.not_understood = list(map(visible, one.not_understood[:MAX_NAMES]))
    return said
