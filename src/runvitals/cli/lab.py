"""`runvitals lab`: train small models here, healthy or with a fault switched on."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runvitals.cli import completion

if TYPE_CHECKING:
    from rich.console import Console

    from runvitals.lab.contract import Trainer
    from runvitals.lab.running import Case, CaseResult

lab = typer.Typer(
    name="lab",
    help="Train small real models here, healthy or with a fault switched on.",
    no_args_is_help=True,
)


class StrengthChoice(StrEnum):
    """How strong a fault is."""

    mild = "mild"
    clear = "clear"
    gross = "gross"


@lab.command("list")
def list_(
    trainer: Annotated[
        str | None,
        typer.Argument(help="Show one trainer in full.", autocompletion=completion.trainers),
    ] = None,
) -> None:
    """List the trainers; of one trainer its tasks, faults and healthy variants."""
    from rich.console import Console

    from runvitals.lab import registry

    console = Console(highlight=False)
    if trainer is None:
        _list_trainers(console)
    else:
        _show_trainer(console, registry.trainer(trainer))


@lab.command()
def run(
    trainer: Annotated[
        str,
        typer.Argument(
            help="Which trainer; see `runvitals lab list`.", autocompletion=completion.trainers
        ),
    ],
    task: Annotated[
        str | None,
        typer.Option(
            help="What to learn; its usual task if not given.", autocompletion=completion.tasks
        ),
    ] = None,
    fault: Annotated[
        str | None,
        typer.Option(
            help="What is to go wrong, by name or code.", autocompletion=completion.faults
        ),
    ] = None,
    strength: Annotated[StrengthChoice, typer.Option(help="How badly.")] = StrengthChoice.clear,
    onset: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="The share of the run after which it goes wrong."),
    ] = 0.0,
    variant: Annotated[
        str | None,
        typer.Option(help="A healthy run that looks odd.", autocompletion=completion.variants),
    ] = None,
    names: Annotated[str | None, typer.Option(help="Log in the names of another tool.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 0,
    dir: Annotated[Path, typer.Option(help="Where the run is recorded.")] = Path("runs"),
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the trainer: --set learning_rate=1e-3."),
    ] = None,
    tensorboard: Annotated[bool, typer.Option(help="Write TensorBoard files too.")] = True,
    csv: Annotated[bool, typer.Option(help="Write CSV files too.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Train once and record it below DIR/lab.

    runvitals lab run grpo --fault lr-x100 --seed 3
    """
    # BLAS threads cost more than they bring at this size; NumPy reads this when it is imported
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from rich.console import Console

    from runvitals.lab import registry
    from runvitals.lab.running import Case

    console = Console(highlight=False)
    case = Case(
        trainer=trainer,
        task=registry.trainer(trainer).task(task).name,
        seed=seed,
        fault=fault,
        strength=strength.value,
        onset=onset,
        variant=variant,
        names=names,
        settings=_settings(set_ or []),
    )
    try:
        result = _train(case, dir, console, quiet=quiet, tensorboard=tensorboard, csv=csv)
    except KeyboardInterrupt:
        console.print("stopped; what was logged so far is kept")
        raise typer.Exit(130) from None
    _say_how_it_went(console, result)


def _settings(pairs: list[str]) -> dict[str, Any]:
    import yaml

    from runvitals.model import ConfigError

    settings: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise ConfigError(f"--set {pair!r} has no value", hint="write --set name=value")
        try:
            settings[name.strip()] = _number(yaml.safe_load(text))
        except yaml.YAMLError as error:
            raise ConfigError(f"--set {pair!r} cannot be read: {error}") from error
    return settings


def _number(value: Any) -> Any:
    """YAML takes 1e-3 for a text."""
    if isinstance(value, list):
        return tuple(_number(item) for item in value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _train(case: Case, dir: Path, console: Console, *, quiet: bool, **record: Any) -> CaseResult:
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from runvitals.lab.running import run_case

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=quiet) as progress:
        bar = progress.add_task(case.name, total=1.0)
        result = run_case(
            case,
            dir,
            console=False,
            on_progress=lambda done: progress.update(bar, completed=done),
            **record,
        )
        progress.update(bar, completed=1.0)
    return result


def _say_how_it_went(console: Console, result: CaseResult) -> None:
    from rich.markup import escape

    from runvitals.lab import registry

    task = registry.trainer(result.case.trainer).task(result.case.task)
    verdict = "[green]learned[/]" if result.learned else "[yellow]not learned[/]"
    console.print(f"{verdict}: {task.score} {result.score:.3g}, the target is {task.target:g}")
    if result.onset_step is not None:
        console.print(f"the fault acted from step {result.onset_step:,} on")
    console.print(f"{result.steps:,} steps in {result.seconds:.1f} s; recorded in")
    console.print(f"  {escape(str(result.folder))}", soft_wrap=True)


def _list_trainers(console: Console) -> None:
    from rich.table import Table

    from runvitals.lab import registry

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("trainer", "what it is", "tasks", "faults", "variants"):
        table.add_column(title, overflow="fold")
    for trainer in registry.trainers():
        table.add_row(
            trainer.name,
            trainer.title,
            ", ".join(task.name for task in trainer.tasks),
            str(len(registry.faults_of(trainer))),
            str(len(trainer.variants)),
        )
    console.print(table)
    console.print("\nMore of one: runvitals lab list ppo")


def _show_trainer(console: Console, trainer: Trainer) -> None:
    from rich.table import Table

    from runvitals.lab import registry

    console.print(f"[bold]{trainer.name}[/]: {trainer.title}\n")
    tasks = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("task", "what is learned", "score", "target"):
        tasks.add_column(title)
    for task in trainer.tasks:
        tasks.add_row(task.name, task.title, task.score, f"{task.target:g}")
    console.print(tasks)

    faults = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("fault", "code", "what goes wrong", "strengths", "should be named by"):
        faults.add_column(title, overflow="fold")
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
        variants = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("healthy variant", "what is odd about it"):
            variants.add_column(title, overflow="fold")
        for variant in trainer.variants:
            variants.add_row(variant.name, variant.title)
        console.print()
        console.print(variants)
    if trainer.dialects:
        console.print(f"\nother names it can log in: {', '.join(trainer.dialects)}")
