"""Known findings that a team has accepted: they are not reported again."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import orjson

from runvitals.model import ConfigError, Diagnosis, Finding

Key = tuple[str, str, str]  # run, code, series


def key_of(run: str, finding: Finding) -> Key:
    """What makes a finding the same one next time."""
    return run, finding.code, finding.series


def write_baseline(path: Path, found: Iterable[tuple[str, Diagnosis]]) -> int:
    """Accept all current findings; returns how many there are."""
    keys = sorted({key_of(run, f) for run, diagnosis in found for f in diagnosis.findings})
    entries = [{"run": run, "code": code, "series": series} for run, code, series in keys]
    data = {"version": 1, "accepted": entries}
    path.write_bytes(orjson.dumps(data, option=orjson.OPT_INDENT_2))
    return len(entries)


def read_baseline(path: Path) -> frozenset[Key]:
    """The accepted findings."""
    try:
        data = orjson.loads(path.read_bytes())
        return frozenset((e["run"], e["code"], e["series"]) for e in data["accepted"])
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise ConfigError(
            f"cannot read the baseline {path}: {type(error).__name__}: {error}",
            hint="write a new one with --write-baseline",
        ) from error


def without(diagnosis: Diagnosis, run: str, accepted: frozenset[Key]) -> Diagnosis:
    """The diagnosis without what was accepted."""
    kept = tuple(f for f in diagnosis.findings if key_of(run, f) not in accepted)
    return replace(diagnosis, findings=kept)
