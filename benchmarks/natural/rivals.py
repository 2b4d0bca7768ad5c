"""Ask the other run doctors about the logs of the benchmark, with their defaults.

    python -m benchmarks.natural.rivals natural-logs answers

Each tool is asked as on the scoreboard (`benchmarks.rivals`): it gets the series that runvitals reads
from a log, under the names that the tool knows. Its answers are written to a file of the folder
`answers`, and scored like any other tool's. No tool says that a run learns, so none can praise.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import orjson

from benchmarks.judging.held_back import interval
from benchmarks.judging.labels import Labelled
from benchmarks.natural import INDEX, LabelledLog, labelled_logs
from benchmarks.rivals.asking import FOLDER, Rival, ask_all


def counted_runs(folder: Path, logs: list[LabelledLog]) -> list[Labelled]:
    """The logs that are in the folder and whose label counts."""
    return [
        Labelled(folder / log.log, "natural", log.log, log.truth, repository=log.repository)
        for log in logs
        if log.truth is not None and (folder / log.log).is_dir()
    ]


def table(runs: list[Labelled], rivals: list[Rival]) -> Iterator[str]:
    """What each tool found, in Markdown; a log that it cannot judge is not alarmed."""
    yield "| tool | logs it could judge | sick logs alarmed | healthy logs alarmed |"
    yield "|---|---|---|---|"
    for rival in rivals:
        name = f"{rival.name} {rival.version}"
        if rival.absent:
            yield f"| {name} | {rival.absent} | | |"
            continue
        alarmed = {answer.run.program for answer in rival.answers if answer.alarmed}
        cells = []
        for truth in ("sick", "healthy"):
            mine = [run.program for run in runs if run.label == truth]
            count = sum(log in alarmed for log in mine)
            low, high = interval(count, len(mine))
            cells.append(f"{count} of {len(mine)} ({low:.0%} to {high:.0%})")
        yield f"| {name} | {len(rival.answers)} of {len(runs)} | {' | '.join(cells)} |"


def main() -> None:
    """Ask, write the answers, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("logs", type=Path, help="a folder of logs, as `fetch` makes it")
    parser.add_argument("answers", type=Path, help="a folder for the answers")
    parser.add_argument("--index", type=Path, default=INDEX)
    parser.add_argument("--environments", type=Path, default=FOLDER)
    args = parser.parse_args()
    runs = counted_runs(args.logs, labelled_logs(args.index))
    rivals = ask_all(runs, args.environments)
    args.answers.mkdir(parents=True, exist_ok=True)
    for rival in rivals:
        rows = [
            {"log": one.run.program, "alarm": one.alarmed, "praise": False} for one in rival.answers
        ]
        lines = b"".join(orjson.dumps(row) + b"\n" for row in rows)
        (args.answers / f"{rival.name}.jsonl").write_bytes(lines)
    print(*table(runs, rivals), sep="\n")


if __name__ == "__main__":
    main()
