"""`runvitals check`: what happened in these runs, what is wrong, since when, and what to change."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import chosen_settings, codes, described, logs_or_default
from runvitals.cli.output import print_errors, print_json, terminal_or_unbroken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runvitals.render.judged import Judged

FULL_REPORTS = 5  # of more runs only the table is shown, unless asked for
CheckFormat = StrEnum("CheckFormat", "text concise json sarif junit github markdown")


@described("""
--select (complete=codes_and_families): Run only these rules: codes or prefixes, such as KL001,CLIP.
--ignore (complete=codes_and_families): Skip these rules; takes what --select takes.
--preview: Also run preview rules.
--rules: A Python file with your own rules.
--baseline: Ignore the findings listed in this file.
--write-baseline: Write the current findings to this file and accept them.
--fail-on-telemetry: Also exit with 1 for warnings about the log itself.
--cache/--no-cache: Keep judgements in your cache and reuse them, if there are more than a few runs.
--watch: Judge again whenever a file changes, until Ctrl-C.
-v --verbose: Also show all vitals, the report card and the checks that did not run.
""")
def check(
    logs: list[Path] | None = None,
    format: CheckFormat = CheckFormat.text,
    select: list[str] | None = None,
    ignore: list[str] | None = None,
    preview: bool = False,
    rules: list[Path] | None = None,
    settings: Path | None = None,
    no_text: bool = False,
    baseline: Path | None = None,
    write_baseline: Path | None = None,
    fail_on_telemetry: bool = False,
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
    workers: int | None = None,
    cache: bool = True,
    watch: bool = False,
    verbose: bool = False,
) -> None:
    """Judge runs: verdict, findings with their evidence, likely causes and what to try.

    Exit code 0: nothing found, 1: warnings or worse, 2: something could not be checked, or parts of
    the data are missing. Findings about the log rather than the run (DATA) are listed separately, and
    do not affect the exit code unless --fail-on-telemetry is given.
    """
    from runvitals.fleet.judging import Job, judge_all

    chosen = chosen_settings(
        settings,
        framework,
        algorithm,
        map,
        select=codes(select),
        ignore=codes(ignore),
        preview=preview,
        texts=not no_text,
        rule_files=rules or (),
    )
    logs = logs_or_default(logs)
    job = Job(tuple(logs), chosen, keep=cache)

    def judge() -> int:
        judged, problems = judge_all(job, workers=workers, progress=format is CheckFormat.text)
        judged = _apply_baseline(judged, baseline, write_baseline)
        print_errors(problems)
        _print(judged, problems, format, logs, verbose=verbose)
        if format is not CheckFormat.text or not _in_full(judged, verbose=verbose):
            _name_unjudged(judged)
        return _exit_code(judged, problems, strict=fail_on_telemetry)

    if watch:
        from runvitals.cli.watching import rejudge

        _check_can_watch(logs, write_baseline)
        raise typer.Exit(rejudge(logs, judge))
    raise typer.Exit(judge())


def _name_unjudged(judged: Sequence[Judged]) -> None:
    """Say on standard error why some runs got no verdict; full reports say it themselves."""
    from runvitals.model.text import terminal_safe

    for one in judged:
        if one.nothing_to_judge is not None:
            why = terminal_safe(f"nothing to judge in {one.shown}: {one.nothing_to_judge}")
            typer.echo(why, err=True)


def _exit_code(judged: Sequence[Judged], problems: Sequence[str], *, strict: bool) -> int:
    from runvitals.model.text import terminal_safe
    from runvitals.render.judged import exit_code

    code = exit_code(judged, unread=bool(problems), fail_on_telemetry=strict)
    if code == 2 and not problems:
        failed = [problem for one in judged for problem in one.diagnosis.problems]
        for problem in dict.fromkeys(failed):
            typer.echo(f"error: {terminal_safe(problem)}", err=True)
    return code


def _check_can_watch(logs: Sequence[Path], write_baseline: Path | None) -> None:
    from runvitals.model import ConfigError

    if any(str(log) == "-" for log in logs):
        raise ConfigError("--watch cannot watch standard input", hint="pass a file or a folder")
    if write_baseline is not None:
        raise ConfigError("--watch and --write-baseline cannot be used together")


def _apply_baseline(
    judged: list[Judged], baseline: Path | None, write_to: Path | None
) -> list[Judged]:
    from dataclasses import replace

    from runvitals.diagnosis.baseline import read_baseline, without
    from runvitals.diagnosis.baseline import write_baseline as write

    if write_to is not None:
        count = write(write_to, ((one.run.name, one.diagnosis) for one in judged))
        typer.echo(f"{count} finding{'' if count == 1 else 's'} accepted in {write_to}", err=True)
        baseline = write_to
    if baseline is None:
        return judged
    accepted = read_baseline(baseline)
    return [
        replace(one, diagnosis=without(one.diagnosis, one.run.name, accepted)) for one in judged
    ]


def _print(
    judged: Sequence[Judged],
    problems: Sequence[str],
    format: CheckFormat,
    logs: Sequence[Path],
    *,
    verbose: bool,
) -> None:

    from runvitals.render import ci, text
    from runvitals.render.json_ import as_json

    if format is CheckFormat.text:
        _print_text(judged, logs, verbose=verbose)
    elif format is CheckFormat.json:
        print_json(as_json(judged, problems))
    elif format is CheckFormat.sarif:
        print_json(ci.sarif(judged, problems))
    elif format is CheckFormat.junit:
        print(ci.junit(judged, problems))
    else:
        lines = {
            CheckFormat.concise: text.concise(judged),
            CheckFormat.github: ci.github(judged, problems),
            CheckFormat.markdown: ci.markdown(judged, problems),
        }[format]
        sys.stdout.writelines(f"{line}\n" for line in lines)


def _in_full(judged: Sequence[Judged], *, verbose: bool) -> bool:
    return len(judged) <= FULL_REPORTS or verbose


def _print_text(judged: Sequence[Judged], logs: Sequence[Path], *, verbose: bool) -> None:
    from rich.console import Console

    from runvitals.render.terminal import safe
    from runvitals.render.text import SummaryTable, report

    console = terminal_or_unbroken()
    files = {str(log) for log in logs if not log.is_dir()}
    if _in_full(judged, verbose=verbose):
        for one in judged:
            if len(judged) > 1 or one.shown not in files:
                console.print(safe(one.shown, "bold"))
            console.print(report(one, verbose=verbose))
            console.print()
    if len(judged) > 1:
        Console(highlight=False).print(SummaryTable(judged))
