"""How labelled logs are called, counted in one process.

    python -m benchmarks.judging.score FOLDER ...      folders with an index.json of labels

A log is found (or alarmed, if it is healthy) by a warning or worse that is not about telemetry, or by a
bad word of any of its runs; it is praised by a good word and no alarm; if it cannot be read, neither.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.judging.evidence import LabelledLog, labelled_logs
from benchmarks.judging.robustness import BAD, GOOD
from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import Run


@dataclass(frozen=True)
class Called:
    """What was said of a log."""

    log: LabelledLog
    runs: int
    codes: tuple[str, ...]  # of alarms
    words: tuple[str, ...]

    @property
    def found(self) -> bool:
        """Alarmed, by a finding or a word."""
        return bool(self.codes) or not {*self.words}.isdisjoint(BAD)

    @property
    def praised(self) -> bool:
        """A good word, and no alarm."""
        return not self.found and not {*self.words}.isdisjoint(GOOD)

    @property
    def right(self) -> bool:
        """Sick and found, or healthy and praised."""
        return self.found if self.log.kind == "sick" else self.praised


def called(log: LabelledLog, runs: Iterable[Run]) -> Called:
    """Judge the runs of a log."""
    found = [judge(run, Settings(), since_when=False) for run in runs]
    codes = {alarm.code for one in found for alarm in one.alarms}
    words = {one.verdict.word for one in found}
    return Called(log, len(found), tuple(sorted(codes)), tuple(sorted(words)))


def line(name: str, calls: Iterable[Called]) -> str:
    """The counts, in one line."""
    n = Counter[str]()
    for one in calls:
        kind = one.log.kind
        n.update({kind: 1, f"{kind} found": one.found, f"{kind} praised": one.praised})
        n.update({"all": 1, "right": one.right, "unread": not one.runs})
    return (
        f"{name}: sick found {n['sick found']}/{n['sick']}, praised {n['sick praised']}; healthy "
        f"alarmed {n['healthy found']}/{n['healthy']}, praised {n['healthy praised']}; "
        f"right {n['right']}/{n['all']}; unread {n['unread']}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-q", "--quiet", action="store_true", help="do not list the wrong ones")
    given = parser.parse_args()
    total: list[Called] = []
    for folder in given.folders:
        logs = (log for log in labelled_logs([folder]) if log.kind != "other")
        calls = [called(log, log.runs()) for log in logs]
        for one in calls:
            if not one.right and not given.quiet:
                print(
                    f"  {one.log.kind:8}{one.log.name} ({one.log.label}): {one.codes} {one.words}"
                )
        print(line(folder.name, calls), flush=True)
        total += calls
    if len(given.folders) > 1:
        print(line("all", total))


if __name__ == "__main__":
    main()
