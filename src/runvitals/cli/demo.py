"""`runvitals demo`: train a real agent here, record it, and say how it went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from runvitals.lab.ppo import PPOConfig, TrainResult

FAST_STEPS = 20_480


class DemoRun(NamedTuple):
    """A run that `train_demo_run` trained and recorded."""

    folder: Path
    config: PPOConfig
    result: TrainResult
    background_seconds: float  # CPU beside the loop: store, TensorBoard files, console


def demo(
    dir: Annotated[Path, typer.Option(help="Where the run is recorded.")] = Path("runs"),
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 0,
    steps: Annotated[
        int | None, typer.Option(min=2048, help="Environment steps; 200,000 unless given.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="A second or two of training: not enough to solve it.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No live view while it trains.")
    ] = False,
) -> None:
    """Train a real PPO agent on CartPole here, watch it learn, and see what was recorded.

    The agent is written in NumPy and learns to balance a pole in well under a minute on one core.
    Everything it logs goes to DIR/demo, where the other commands find it.
    """
    from rich.console import Console

    from runvitals.lab.ppo import PPOConfig

    total = steps or (FAST_STEPS if fast else PPOConfig.total_steps)
    config = PPOConfig(seed=seed, total_steps=total)
    console = Console(highlight=False)
    if not quiet:
        console.print(
            f"PPO learns CartPole, seed {seed}, {total:,} steps: keep a pole upright for 500 steps.\n"
            f"A random policy manages about 22; {config.success_return:g} on average counts as solved."
        )
    try:
        trained = train_demo_run(config, dir, console=not quiet)
    except KeyboardInterrupt:
        console.print("stopped; what was logged so far is kept")
        raise typer.Exit(130) from None
    _print_summary(console, trained)


def train_demo_run(
    config: PPOConfig, dir: Path, *, name: str | None = None, console: bool = True
) -> DemoRun:
    """Train and record one run below `dir`/demo."""
    import time
    from dataclasses import asdict

    import runvitals as rv
    from runvitals.lab.ppo import train

    def other_threads() -> float:
        return time.process_time() - time.thread_time()

    with rv.init(
        project="demo",
        name=name or f"ppo-cartpole-seed{config.seed}",
        config=asdict(config),
        dir=dir,
        console=console,
        tags=["demo"],
        framework="runvitals",
        algorithm="PPO",
        system=5.0,
    ) as run:
        before = other_threads()
        result = train(config, run)
        background = other_threads() - before
    return DemoRun(run.folder, config, result, background)


def _print_summary(console: Console, trained: DemoRun) -> None:
    from rich.markup import escape
    from rich.table import Table

    import runvitals as rv

    folder, config, result, background = trained
    points = rv.open_run(folder).points.count
    speed = result.env_steps / result.seconds
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column()
    table.add_row(
        "return",
        f"{result.first_return:.0f} at the start, [bold]{result.final_return:.0f}[/] at the end, "
        "500 is the most",
    )
    table.add_row("solved", _solved(config, result))
    table.add_row(
        "time",
        f"{result.seconds:.1f} s: {result.env_steps:,} environment steps at {speed:,.0f} a second, "
        f"{result.updates:,} gradient updates",
    )
    stored, board = _bytes(folder / "points"), _bytes(folder / "tensorboard")
    table.add_row(
        "recorded",
        f"{points:,} points in {_kilobytes(stored)}; for TensorBoard {_kilobytes(board)}; "
        f"the whole folder {_kilobytes(_bytes(folder))}",
    )
    table.add_row(
        "cost",
        f"{100 * result.logging_seconds / result.seconds:.2f} % of the training loop went into "
        f"logging; beside it, a background thread took {100 * background / result.seconds:.0f} % "
        "of a core",
    )
    console.print()
    console.print(table)
    console.print()
    console.print("[bold]look further[/]")
    for what, command in _next_steps(folder):
        console.print(f"  {what}")
        console.print(f"    [cyan]{escape(command)}[/]", soft_wrap=True)


def _solved(config: PPOConfig, result: TrainResult) -> str:
    goal = f"{config.success_return:g} on average over {config.window} episodes"
    if result.solved_at is None:
        return f"[yellow]no[/]: best so far {result.best_return:.0f}; solved means {goal}"
    at = f"[green]yes[/], at step {result.solved_at:,} ({goal})"
    if result.final_return < config.success_return:
        at += ", [yellow]but it fell below that again[/]"
    return at


def _next_steps(folder: Path) -> list[tuple[str, str]]:
    root = folder.parent.parent
    return [
        ("what has been recorded here", f"runvitals runs {root}"),
        ("what a number means, and what is healthy", "runvitals explain policy/approx_kl"),
        ("all numbers as CSV", f"runvitals export {folder} --to csv"),
        ("the same curves in TensorBoard", f"tensorboard --logdir {folder}"),
    ]


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _kilobytes(count: int) -> str:
    return f"{count / 1000:,.0f} kB"
