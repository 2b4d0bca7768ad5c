"""Questions about many judged runs, their sweeps, and the list of them that is kept with the runs."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from runvitals.comparison.sweep import MIN_RUNS, Sweep, Trial, direction, shared_outcome, sweep_of
from runvitals.model import ConfigError, ReadError
from runvitals.model.atomic import replacing
from runvitals.render.judged import RunFacts

LIST_FILE = ".fleet.json"
_UNITS = {"h": 3600.0, "d": 86_400.0, "w": 7 * 86_400.0}
_AGE = re.compile(r"(\d+(?:\.\d+)?)\s*([hdw])")
_LISTS = TypeAdapter(list[RunFacts])


@dataclass(frozen=True)
class RunQuery:
    """Which runs are asked for; what is not said does not matter."""

    project: str | None = None
    verdicts: Sequence[str] = ()
    rules: Sequence[str] = ()  # codes, or their beginnings
    since: float | None = None  # seconds before now

    def __call__(self, run: RunFacts, now: float) -> bool:
        """Whether a run is one of them."""
        if self.project is not None and run.project != self.project:
            return False
        if self.verdicts and run.verdict not in self.verdicts:
            return False
        if self.rules and not any(code.startswith(tuple(self.rules)) for code in run.rules):
            return False
        when = run.ended or run.started
        return self.since is None or (when is not None and when >= now - self.since)

    def sql(self) -> tuple[str, dict[str, object]]:
        """The same as a condition on the view `fleet`, with its parameters."""
        parts, given = ["1"], dict[str, object]()
        if self.project is not None:
            parts.append("project = {project:String}")
            given["project"] = self.project
        if self.verdicts:
            parts.append("verdict IN {verdicts:Array(String)}")
            given["verdicts"] = list(self.verdicts)
        if self.rules:
            parts.append(
                "arrayExists(code -> arrayExists(begin -> startsWith(code, begin), "
                "{rules:Array(String)}), rules)"
            )
            given["rules"] = list(self.rules)
        if self.since is not None:
            parts.append("coalesce(ended, started) >= now64(6) - toIntervalSecond({since:Int64})")
            given["since"] = int(self.since)
        return " AND ".join(parts), given


def chosen(runs: Iterable[RunFacts], wanted: RunQuery) -> list[RunFacts]:
    """The runs that are asked for, the latest first."""
    now = time.time()
    found = [run for run in runs if wanted(run, now)]
    return sorted(found, key=lambda run: -(run.ended or run.started or 0.0))


def age_of(text: str) -> float:
    """Seconds in `12h`, `7d` or `2w`.

    >>> age_of("7d")
    604800.0
    """
    found = _AGE.fullmatch(text.strip().lower())
    if found is None:
        raise ConfigError(f"{text!r} is not a length of time", hint="write 12h, 7d or 2w")
    return float(found[1]) * _UNITS[found[2]]


def write_list(top: Path, runs: Sequence[RunFacts]) -> None:
    """Keep the list with the runs; a folder that cannot be written to does without."""
    try:
        with replacing(top / LIST_FILE) as file:
            file.write(_LISTS.dump_json(list(runs)))
    except OSError:
        return


def read_list(top: Path) -> tuple[list[RunFacts], float]:
    """The list as it was kept, and when that was."""
    path = top / LIST_FILE
    try:
        return _LISTS.validate_json(path.read_bytes()), path.stat().st_mtime
    except FileNotFoundError:
        raise ReadError(
            top, "no list of judged runs is kept here", hint="leave out --as-is once"
        ) from None
    except (OSError, ValidationError):
        raise ReadError(path, "the list is damaged", hint="leave out --as-is once") from None


@dataclass(frozen=True)
class Swept:
    """A judged run, and where each of its outcomes ended; the most trustworthy comes first.

    `rules` are the codes of all its alarms, with those that follow from others.
    """

    facts: RunFacts
    rules: tuple[str, ...]
    ends: Mapping[str, float | None]


def sweeps_of(runs: Sequence[Swept], metric: str | None = None) -> list[tuple[str, Sweep]]:
    """Each sweep with the name of its project, the largest first.

    Its runs are compared by `metric`, or by the outcome that most of them have.
    """
    groups: dict[tuple[str, str | None, str | None], list[Swept]] = {}
    for run in runs:
        facts = run.facts
        groups.setdefault((facts.project, facts.framework, facts.algorithm), []).append(run)
    found = []
    for (project, _, _), mine in groups.items():
        if len(mine) < MIN_RUNS:
            continue
        name = metric or shared_outcome([list(run.ends) for run in mine])
        made = sweep_of([_trial(run, name) for run in mine], name, direction(name))
        if made.settings:
            found.append((project, made))
    return sorted(found, key=lambda one: -len(one[1].trials))


def _trial(run: Swept, metric: str) -> Trial:
    facts = run.facts
    return Trial(
        id=facts.path or facts.id,
        name=facts.name,
        settings=facts.settings,
        verdict=facts.verdict,
        rules=run.rules,
        outcome=run.ends.get(metric),
    )
