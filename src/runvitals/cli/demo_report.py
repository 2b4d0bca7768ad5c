"""What `runvitals demo` says about its two runs when they are trained."""

from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from runvitals.cli.demo import FAULT, ONSET, DemoRun
from runvitals.diagnosis.judge import judge, settings_for
from runvitals.model import Finding, all_findings
from runvitals.model.formatting import counted
from runvitals.readers.open import open_run
from runvitals.render.judged import Judged, judged
from runvitals.render.terminal import table
from runvitals.render.text import FindingText, verdict_line
from runvitals.rules.outcome.course import course


def print_report(console: Console, healthy: DemoRun, sick: DemoRun) -> None:
    """Both runs beside each other, then what is wrong with the second, then what to try next."""
    one, other = _judge(healthy), _judge(sick)
    console.print()
    console.print(_side_by_side(one, other, healthy, sick))
    shown = other.diagnosis.alarms
    if shown:
        console.print("\n[bold]what is wrong with the sick run[/]\n")
        console.print(*(FindingText(finding, other) for finding in shown), sep="")
    console.print("[bold]what it cost[/]")
    console.print(f"  {_cost(healthy)}")
    console.print("\n[bold]next steps[/]")
    for what, command in _next_steps(_shown(healthy.folder), _shown(sick.folder), shown):
        console.print(f"  {what}")
        console.print(f"    [cyan]{escape(command)}[/]", soft_wrap=True)


def _judge(trained: DemoRun) -> Judged:
    run = open_run(trained.folder)
    return judged(run, judge(run, settings_for()), str(_shown(trained.folder)))


def _shown(folder: Path) -> Path:
    """As short as it can be typed from here."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _side_by_side(one: Judged, other: Judged, healthy: DemoRun, sick: DemoRun) -> Table:
    shown = table("", "healthy", "sick", overflow="fold")
    begin = int(ONSET * sick.config.total_steps)
    shown.add_row("fault", "none", f"{FAULT}, from step {begin:,} on")
    shown.add_row("return", _returns(healthy), _returns(sick))
    shown.add_row(
        "verdict", verdict_line(one.diagnosis.verdict), verdict_line(other.diagnosis.verdict)
    )
    shown.add_row("findings", _count(one), _count(other))
    return shown


def _returns(trained: DemoRun) -> str:
    result = trained.result
    solved = "" if result.solved_at is None else f", solved at step {result.solved_at:,}"
    read = course(open_run(trained.folder)["outcome/return_mean"].finite().values)
    return (
        f"{read.start:.0f} at the start, {read.now:.0f} at the end (best {read.best:.0f}{solved})"
    )


def _count(one: Judged) -> str:
    alarms = one.diagnosis.alarms
    if not alarms:
        notices = sum(not finding.about_log for finding in one.diagnosis.findings)
        return f"no alarms, {counted(notices, 'notice')}" if notices else "nothing found"
    effects = len(list(all_findings(alarms))) - len(alarms)
    return counted(len(alarms), "finding") + (
        f", and {effects} that follow from them" if effects else ""
    )


def _cost(trained: DemoRun) -> str:
    result, folder = trained.result, trained.folder
    points = open_run(folder).points.count
    speed = result.steps / result.seconds
    return (
        f"{result.seconds:.1f} s of training at {speed:,.0f} steps per second; "
        f"logging took {100 * result.logging_seconds / result.seconds:.2f} % of the loop and "
        f"{100 * trained.background_seconds / result.seconds:.0f} % of a core in the background; "
        f"{points:,} points in {_kilobytes(folder / 'points')}"
    )


def _next_steps(healthy: Path, sick: Path, alarms: tuple[Finding, ...]) -> list[tuple[str, str]]:
    code = alarms[0].code if alarms else "KL001"
    return [
        ("both in the browser, with their charts", f"runvitals serve {sick.parent}"),
        ("the full diagnosis", f"runvitals check {sick} -v"),
        ("what differs", f"runvitals compare {healthy} {sick}"),
        ("why this rule exists, and what to try", f"runvitals rule {code}"),
        ("watch a run of your own while it trains", "runvitals watch LOGS"),
        ("what a number means, and what is healthy", "runvitals explain policy/approx_kl"),
        ("one file to send to a colleague", f"runvitals report {sick}"),
        ("all numbers as CSV", f"runvitals export {sick} --to csv"),
        ("the same curves in TensorBoard", f"tensorboard --logdir {sick.parent}"),
    ]


def _kilobytes(folder: Path) -> str:
    count = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return f"{count / 1000:,.0f} kB"
