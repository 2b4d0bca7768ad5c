"""`runvitals vitals`: every vital sign of a run beside its range, alarm or not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import Format, described, logs_or_default, opened
from runvitals.cli.output import print_json, terminal_or_unbroken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runvitals.model import Run
    from runvitals.vitals import Vital


@described()
def vitals(
    logs: list[Path] | None = None,
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
    settings: Path | None = None,
    format: Format = Format.text,
) -> None:
    """Show each metric's level now, the range that applies to it here, and the source of that range.

    A vital out of its range is a sign, and `runvitals check` says whether the outcome suffers. Where a
    finding of `check` alarms about a vital that lies inside its range, its code is shown instead.
    Exit code 2 if a log could not be read.
    """
    from runvitals.diagnosis.judge import judge, settings_for
    from runvitals.vitals import vitals_of

    opened_runs, problems = opened(logs_or_default(logs), framework, algorithm, map, settings)
    chosen = settings_for(settings)
    runs = [
        (run, vitals_of(run, judge(run, chosen, since_when=False).findings)) for run in opened_runs
    ]
    if format is Format.json:
        from runvitals.render.json_ import vitals_json

        said = vitals_json(runs, [str(problem) for problem in problems])
        print_json(said)
    else:
        _print(runs)
    if problems or not runs:
        raise typer.Exit(2)


def _print(runs: Sequence[tuple[Run, Sequence[Vital]]]) -> None:

    from runvitals.render.terminal import safe
    from runvitals.render.vital_table import vitals_table

    console = terminal_or_unbroken()
    for run, found in runs:
        outside = sum(vital.out_of_range for vital in found)
        ranged = sum(vital.range is not None for vital in found)
        what = ", ".join(filter(None, (run.framework or "tool unknown", run.algorithm)))
        counts = f"{outside} of {ranged} vitals out of range"
        console.print(safe(f"{run.path or '-'}: {what}; {counts}", "bold"))
        for part in vitals_table(found, without_range=True):
            console.print(part)
