"""Score a tool's answers on the benchmark.

    python -m benchmarks.natural.score answers.jsonl
    python -m benchmarks.natural.score natural-logs --write answers.jsonl   as runvitals answers

An answer is a line {"log": "...", "alarm": true, "praise": false}. *Alarm*: the tool tells its user
that something is wrong with the training. *Praise*: it says that the model is learning or has learned.
A log without an answer is neither.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from benchmarks.judging.held_back import interval
from benchmarks.natural import INDEX, LabelledLog, labelled_logs

GOOD = {"learning", "learned"}
BAD = {"stalled", "not learning", "overfitting", "collapsed", "diverged"}


class Answer(NamedTuple):
    """What a tool says of a log."""

    alarm: bool
    praise: bool


def answers_of_runvitals(folder: Path, logs: Iterable[LabelledLog]) -> Iterator[dict[str, Any]]:
    """What `runvitals check` says of each log that is in the folder."""
    for log in logs:
        if (folder / log.log).is_dir():
            words = ["-m", "runvitals.cli.main", "check", str(folder / log.log), "--format", "json"]
            done = subprocess.run([sys.executable, *words], capture_output=True, check=False)
            runs = orjson.loads(done.stdout)["runs"] if done.stdout else []
            alarm = any(map(_alarms, runs))
            praise = not alarm and any(run["verdict"]["word"] in GOOD for run in runs)
            yield {"log": log.log, "alarm": alarm, "praise": praise}


def _alarms(run: dict[str, Any]) -> bool:
    """Whether a run has a bad word, or a finding above a notice that is not about the log."""
    return run["verdict"]["word"] in BAD or any(
        finding["severity"] != "notice" and not finding["code"].startswith("DATA")
        for finding in run["findings"]
    )


def table(logs: Iterable[LabelledLog], answers: dict[str, Answer]) -> Iterator[str]:
    """Counts with their intervals, in Markdown."""
    counts: Counter[str] = Counter()
    for log in logs:
        if log.truth is not None:
            answer = answers.get(log.log, Answer(alarm=False, praise=False))
            counts[log.truth] += 1
            counts[f"{log.truth} alarmed"] += answer.alarm
            counts[f"{log.truth} praised"] += answer.praise
    yield "| | counted | share | 95% interval |"
    yield "|---|---|---|---|"
    for truth in ("sick", "healthy"):
        for what in ("alarmed", "praised"):
            count, total = counts[f"{truth} {what}"], counts[truth]
            low, high = interval(count, total)
            share = f"{count / total:.0%} | {low:.0%} to {high:.0%}"
            yield f"| {truth} logs {what} | {count} of {total} | {share} |"


def main() -> None:
    """Print the table, and keep runvitals' answers if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("answers", type=Path, help="a file of answers, or a folder of logs")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--index", type=Path, default=INDEX)
    args = parser.parse_args()
    logs = labelled_logs(args.index)
    if args.answers.is_dir():
        rows = list(answers_of_runvitals(args.answers, logs))
    else:
        rows = [orjson.loads(line) for line in args.answers.read_bytes().splitlines()]
    if args.write is not None:
        args.write.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    answers = {row["log"]: Answer(bool(row["alarm"]), bool(row["praise"])) for row in rows}
    print(*table(logs, answers), sep="\n")


if __name__ == "__main__":
    main()
