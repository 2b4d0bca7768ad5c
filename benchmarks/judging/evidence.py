"""What each rule's findings are worth: how often they occur on sick and on healthy labelled runs.

    python -m benchmarks.judging.evidence FOLDER ...      folders with an index.json of labels

For each rule and severity: on how many sick and healthy logs it speaks, from how many repositories, how
many sick logs no other alarm finds, and the severity that the counts support: an alarm where sickness
is several times likelier with the finding than without, also when any one repository is left out.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import runvitals as rv
from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import Run, RunvitalsError

SUPPORTS_ALARM = 4.0  # odds of sickness, with one imagined case on each side
SUPPORTS_NOTICE = 1.5  # below, a finding says nothing


@dataclass
class Counts:
    """Repositories of the logs on which a finding occurs; one entry per log."""

    sick: list[str] = field(default_factory=list)
    healthy: list[str] = field(default_factory=list)
    alone: int = 0  # sick logs that nothing else alarms

    def odds(self, sick: int, healthy: int, without: str | None = None) -> float:
        """How much likelier the finding is on a sick log than on a healthy one."""
        hits = sum(repo != without for repo in self.sick)
        alarms = sum(repo != without for repo in self.healthy)
        return (hits + 0.5) / (sick + 1) / ((alarms + 0.5) / (healthy + 1))

    def supports(self, sick: int, healthy: int) -> str:
        """The severity that the counts support, whichever repository is left out."""
        repositories = {*self.sick, *self.healthy, None}
        least = min(self.odds(sick, healthy, repo) for repo in repositories)
        if least >= SUPPORTS_ALARM:
            return "alarm"
        return "notice" if least >= SUPPORTS_NOTICE else "nothing"


@dataclass(frozen=True)
class LabelledLog:
    """A log with its label: `sick`, `healthy`, or `other` where it does not count."""

    path: Path
    kind: str
    label: str
    repository: str

    @property
    def name(self) -> str:
        """Its folder, with the one above."""
        return f"{self.path.parent.name}/{self.path.name}"

    def runs(self) -> list[Run]:
        """Its runs; none if it cannot be read."""
        try:
            return rv.open_runs(self.path, problems=[])
        except RunvitalsError:
            return []


def labelled_logs(places: Iterable[Path]) -> Iterator[LabelledLog]:
    """The logs of folders that hold an `index.json`, or of an index file; a run alone is healthy."""
    for place in places:
        file = place if place.suffix == ".json" else place / "index.json"
        if not file.exists():
            yield LabelledLog(place, "healthy", "healthy", place.name)
            continue
        index = json.loads(file.read_text(encoding="utf-8"))
        for entry in index if isinstance(index, list) else index["runs"]:
            path = file.parent / str(entry.get("dir") or entry.get("name"))
            if path.is_dir():
                kind = kind_of(entry) or "other"
                repository = str(entry.get("source_repo") or path.name)
                yield LabelledLog(path, kind, str(entry.get("label")), repository)


def kind_of(entry: dict[str, str]) -> str | None:
    """`sick` or `healthy`; None for logs that do not count."""
    label = str(entry.get("label") or "").lower()
    if entry.get("confidence") == "low" or label.startswith(
        ("harmless", "unclear", "degraded", "benign")
    ):
        return None
    return "healthy" if label.startswith("healthy") else "sick"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    counts: dict[tuple[str, str], Counts] = defaultdict(Counts)
    totals = {"sick": 0, "healthy": 0}
    for log in labelled_logs(parser.parse_args().folders):
        if log.kind != "other":
            totals[log.kind] += 1
            _count(counts, log)
    sick, healthy = totals["sick"], totals["healthy"]
    print(f"{sick} sick, {healthy} healthy")
    print(f"{'rule':9}{'severity':10}{'sick':>6}{'healthy':>9}{'alone':>7}  supports")
    for (code, severity), one in sorted(counts.items()):
        row = f"{code:9}{severity:10}{len(one.sick):6}{len(one.healthy):9}{one.alone:7}"
        print(f"{row}  {one.supports(sick, healthy)}")


def _count(counts: dict[tuple[str, str], Counts], log: LabelledLog) -> None:
    found = [f for run in log.runs() for f in judge(run, Settings(), since_when=False).all_findings]
    alarms = {f.code for f in found if f.is_alarm}
    for code, severity in {(f.code, f.severity) for f in found}:
        one = counts[code, severity]
        getattr(one, log.kind).append(log.repository)
        one.alone += log.kind == "sick" and alarms == {code}


if __name__ == "__main__":
    main()
