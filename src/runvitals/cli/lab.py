"""`runvitals lab`: train small models here, healthy or with a fault switched on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from runvitals.cli.options import described

if TYPE_CHECKING:
    from rich.console import Console

    from runvitals.lab.contract import Trainer
    from runvitals.lab.running import Case, CaseResult
    from runvitals.lab.scheduler_session import SchedulerSession

lab = typer.Typer(
    name="lab",
    help="Train small real models here, healthy or with a fault switched on.",
    no_args_is_help=True,
)


StrengthChoice = StrEnum("StrengthChoice", "mild clear gross")


@lab.command("list")
@described("trainer (complete=trainers): Show everything about one trainer.")
def list_(trainer: str | None = None) -> None:
    """List the trainers, or one trainer's tasks, faults and healthy variants."""
    from rich.console import Console

    from runvitals.lab import registry

    console = Console(highlight=False)
    if trainer is None:
        _list_trainers(console)
    else:
        _show_trainer(console, registry.trainer(trainer))


@lab.command()
@described("""
trainer (complete=trainers): Which trainer; see `runvitals lab list`.
--task (complete=tasks): The task; by default the trainer's usual one.
--fault (complete=faults): The fault to inject, by name or code.
--strength: How strong the fault is; clear by default.
--onset (min=0.0; max=1.0): The share of the run after which the fault starts.
--variant (complete=variants): A healthy variant that looks odd.
--names: Use the metric names of another tool.
--seed (min=0): Random seed; 0 by default. The same seed gives the same numbers.
--dir: Where the run is recorded.
--output-dir: Record into this folder instead, with CSV files.
--config: Scheduler only: settings and `monitoring` from a JSON file.
--resume: Scheduler only: continue the run in --output-dir.
--max-chunks (min=1): Scheduler only: stop after this many chunks; --resume continues.
--set: A setting of the trainer: --set learning_rate=1e-3.
--tensorboard/--no-tensorboard: Write TensorBoard files too (the default).
--csv/--no-csv: Write CSV files too (the default with --output-dir).
-q --quiet: Hide the progress bar.
""")
def run(
    trainer: str,
    task: str | None = None,
    fault: str | None = None,
    strength: StrengthChoice | None = None,
    onset: float | None = None,
    variant: str | None = None,
    names: str | None = None,
    seed: int | None = None,
    dir: Path = Path("runs"),
    output_dir: Path | None = None,
    config: Path | None = None,
    resume: bool = False,
    max_chunks: int | None = None,
    set_: list[str] | None = None,
    tensorboard: bool | None = None,
    csv: bool | None = None,
    quiet: bool = False,
) -> None:
    """Train once and record the run in DIR/lab, or in OUTPUT_DIR.

    runvitals lab run grpo --fault lr-x100 --seed 3
    runvitals lab run scheduler --output-dir out/scheduler
    """
    # BLAS threads cost more than they bring at this size; NumPy reads this when it is imported
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from rich.console import Console

    from runvitals.lab import registry
    from runvitals.lab.running import Case

    console = Console(highlight=False)
    told = _given(task=task, fault=fault, strength=strength and strength.value, onset=onset)
    told |= _given(variant=variant, names=names, seed=seed)
    settings = _settings(set_ or [])
    _check_options(trainer, output_dir, config, resume=resume, max_chunks=max_chunks)
    if output_dir is not None and trainer == SCHEDULER:
        _run_scheduler(
            console,
            output_dir,
            config,
            {**told, **settings},
            _given(tensorboard=tensorboard, metrics_export_enabled=csv),
            resume=resume,
            max_chunks=max_chunks,
            quiet=quiet,
        )
        return
    told["task"] = registry.trainer(trainer).task(task).name
    record = {
        "tensorboard": tensorboard is not False,
        "csv": csv if csv is not None else output_dir is not None,
        **_given(folder=output_dir),
    }
    _train(Case(trainer, **told, settings=settings), dir, console, quiet=quiet, **record)


def _given(**options: Any) -> dict[str, Any]:
    """The options that were given on the command line; None means that one was not."""
    return {name: value for name, value in options.items() if value is not None}


def _settings(pairs: list[str]) -> dict[str, Any]:
    import yaml

    from runvitals.model import ConfigError

    settings: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise ConfigError(
                f"--set expects NAME=VALUE, got {pair!r}", hint="--set learning_rate=1e-3"
            )
        try:
            settings[name.strip()] = _number(yaml.safe_load(text))
        except yaml.YAMLError as error:
            raise ConfigError(f"cannot read --set {pair!r}: {error}") from error
    return settings


def _number(value: Any) -> Any:
    """Numbers such as 1e-3 as well, which YAML reads as text."""
    if isinstance(value, list):
        return tuple(_number(item) for item in value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _train(case: Case, dir: Path, console: Console, *, quiet: bool, **record: Any) -> None:
    """Train and say how it went."""
    from runvitals.lab.running import run_case

    try:
        with progress_bar(console, case.name, quiet=quiet) as on_progress:
            result = run_case(case, dir, console=False, on_progress=on_progress, **record)
    except KeyboardInterrupt:
        console.print("stopped; everything logged so far is kept")
        raise typer.Exit(130) from None
    _say_how_it_went(console, result)


def _say_how_it_went(console: Console, result: CaseResult) -> None:
    from rich.markup import escape

    from runvitals.lab import registry

    task = registry.trainer(result.case.trainer).task(result.case.task)
    verdict = "[green]learned[/]" if result.learned else "[yellow]not learned[/]"
    console.print(f"{verdict}: {task.score} {result.score:.3g}, the target is {task.target:g}")
    if result.onset_step is not None:
        console.print(f"the fault was active from step {result.onset_step:,}")
    console.print(f"{result.steps:,} steps in {result.seconds:.1f} s; recorded in")
    console.print(f"  {escape(str(result.folder))}", soft_wrap=True)


def _list_trainers(console: Console) -> None:
    from runvitals.lab import registry
    from runvitals.render.terminal import table

    shown = table("trainer", "what it is", "tasks", "faults", "variants", overflow="fold")
    for trainer in registry.trainers():
        shown.add_row(
            trainer.name,
            trainer.title,
            ", ".join(task.name for task in trainer.tasks),
            str(len(registry.faults_of(trainer))),
            str(len(trainer.variants)),
        )
    console.print(shown)
    console.print("\nMore about one trainer: runvitals lab list ppo")


def _show_trainer(console: Console, trainer: Trainer) -> None:
    from runvitals.lab import registry
    from runvitals.render.terminal import table

    console.print(f"[bold]{trainer.name}[/]: {trainer.title}\n")
    tasks = table("task", "what is learned", "score", "target")
    for task in trainer.tasks:
        tasks.add_row(task.name, task.title, task.score, f"{task.target:g}")
    console.print(tasks)

    titles = ("fault", "code", "what goes wrong", "strengths", "rules that should find it")
    faults = table(*titles, overflow="fold")
    for fault in registry.faults_of(trainer):
        faults.add_row(
            fault.name,
            fault.code,
            fault.title + (f" (only {', '.join(fault.tasks)})" if fault.tasks else ""),
            " ".join(fault.doses),
            " ".join(fault.expect),
        )
    console.print()
    console.print(faults)

    if trainer.variants:
        variants = table("healthy variant", "what is odd about it", overflow="fold")
        for variant in trainer.variants:
            variants.add_row(variant.name, variant.title)
        console.print()
        console.print(variants)
    if trainer.dialects:
        console.print(f"\nit can also log under the names of: {', '.join(trainer.dialects)}")


SCHEDULER = "scheduler"


def _check_options(
    trainer: str,
    output_dir: Path | None,
    config: Path | None,
    *,
    resume: bool,
    max_chunks: int | None,
) -> None:
    """Options that go together."""
    from runvitals.model import ConfigError

    for option, given in (
        ("--config", config is not None),
        ("--resume", resume),
        ("--max-chunks", max_chunks is not None),
    ):
        if given and trainer != SCHEDULER:
            raise ConfigError(
                f"{option} works only with the scheduler, not with {trainer}",
                hint="pass settings with --set name=value",
            )
        if given and output_dir is None:
            raise ConfigError(
                f"{option} needs an output folder",
                hint="runvitals lab run scheduler --output-dir out/scheduler",
            )


def _run_scheduler(
    console: Console,
    output_dir: Path,
    config: Path | None,
    told: Mapping[str, Any],
    monitoring: Mapping[str, Any],
    *,
    resume: bool,
    max_chunks: int | None,
    quiet: bool,
) -> None:
    """Start a run in the folder or continue it, and say how far it is."""
    from runvitals.lab.scheduler_session import run_session
    from runvitals.lab.scheduler_settings import ChosenSettings, chosen_from, read_settings

    in_file = ChosenSettings() if config is None else read_settings(config)
    given = ChosenSettings(monitoring=monitoring).over(chosen_from(told)).over(in_file)
    try:
        with progress_bar(console, f"scheduler in {output_dir}", quiet=quiet) as on_progress:
            session = run_session(
                output_dir,
                given,
                resume=resume,
                max_chunks=max_chunks,
                on_progress=on_progress,
                console=False,
            )
    except KeyboardInterrupt:
        console.print("stopped; everything logged so far is kept, and --resume continues the run")
        raise typer.Exit(130) from None
    _say_how_far(console, session, output_dir)


def _say_how_far(console: Console, session: SchedulerSession, output_dir: Path) -> None:
    from rich.markup import escape

    task, chunks = session.task, f"{session.chunks_done} of {session.chunks} chunks"
    learned = session.score >= task.target
    verdict = "[green]learned[/]" if learned else "[yellow]not learned[/]"
    so_far = "" if session.complete else " so far"
    console.print(
        f"{verdict}{so_far}: {task.score} {session.score:.3g}, the target is {task.target:g}"
    )
    if session.onset_step is not None:
        console.print(f"the fault was active from step {session.onset_step:,}")
    if session.trained is None:
        console.print(f"nothing left to do: {chunks} are done; recorded in")
    else:
        begun = f" after step {session.begun_at:,}" if session.begun_at else ""
        steps = session.steps - session.begun_at
        console.print(f"{steps:,} steps{begun} in {session.seconds:.1f} s, {chunks}; recorded in")
    console.print(f"  {escape(str(session.folder))}", soft_wrap=True)
    if not session.complete:
        command = f"runvitals lab run scheduler --output-dir {output_dir} --resume"
        console.print(f"go on with: {escape(command)}", soft_wrap=True)


@contextmanager
def progress_bar(console: Console, title: str, *, quiet: bool) -> Iterator[Callable[[float], None]]:
    """A bar while this lasts; call what it gives with the share that is done."""
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=quiet) as progress:
        bar = progress.add_task(escape(title), total=1.0)
        yield lambda done: progress.update(bar, completed=done)
        progress.update(bar, completed=1.0)
