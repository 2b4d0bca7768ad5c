"""`runvitals demo`: train a healthy and a sick agent here, record both, and judge them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from runvitals.cli.options import described

if TYPE_CHECKING:
    from runvitals.lab.contract import Sickness
    from runvitals.lab.ppo import TrainResult
    from runvitals.lab.ppo_settings import PPOConfig

FAST_STEPS = 20_480
FAULT, ONSET = "lr-x100", 0.4  # what goes wrong in the sick run, and after which share of it


class DemoRun(NamedTuple):
    """A run that `train_demo_run` trained and recorded."""

    folder: Path
    config: PPOConfig
    result: TrainResult
    background_seconds: float  # CPU beside the loop: store, TensorBoard files, console, rules


@described("""
--dir: Where the runs are recorded.
--seed (min=0): Random seed. The same seed gives the same numbers.
--steps (min=2048): Environment steps per run; 102,400 by default.
--fast: Train for only a second or two: too short for a verdict.
-q --quiet: Hide the live view during training.
""")
def demo(
    dir: Path = Path("runs"),
    seed: int = 0,
    steps: int | None = None,
    fast: bool = False,
    quiet: bool = False,
) -> None:
    """Train a healthy and a sick PPO agent on CartPole here, and see what the doctor says about each.

    The agents are written in NumPy and take a few seconds each on one core. Both start out the same;
    then a bug makes the learning rate of the second a hundred times too high. Everything they log goes
    to DIR/demo, where the other commands find it.
    """
    from rich.console import Console

    from runvitals.cli.demo_report import print_report

    config = demo_config(seed, steps or (FAST_STEPS if fast else None))
    console = Console(highlight=False)
    if not quiet:
        console.print(
            f"PPO learns CartPole, seed {seed}, {config.total_steps:,} steps: keep a pole upright for "
            f"500 steps.\nA random policy manages about 22; {config.success_return:g} on average "
            "counts as solved."
        )
    try:
        healthy = train_demo_run(config, dir, name=f"healthy-seed{seed}", console=not quiet)
        if not quiet:
            console.print(
                f"\nNow the same again, but from step {int(ONSET * config.total_steps):,} on the "
                "learning rate is 100 times too high."
            )
        sick = train_demo_run(
            config, dir, name=f"sick-seed{seed}", console=not quiet, sick=sickness()
        )
    except KeyboardInterrupt:
        console.print("stopped; everything logged so far is kept")
        raise typer.Exit(130) from None
    print_report(console, healthy, sick)


def demo_config(seed: int, steps: int | None = None) -> PPOConfig:
    """The settings of the lab's CartPole task."""
    from runvitals.lab.ppo import PPO
    from runvitals.lab.ppo_settings import PPOConfig

    settings = dict(PPO.task("cartpole").settings)
    if steps is not None:
        settings["total_steps"] = steps
    return PPOConfig(**settings, seed=seed)


def sickness() -> Sickness:
    """What goes wrong in the second run."""
    from runvitals.lab.contract import Sickness
    from runvitals.lab.ppo import PPO

    return Sickness(PPO.faults, FAULT, onset=ONSET)


def train_demo_run(
    config: PPOConfig,
    dir: Path,
    *,
    name: str | None = None,
    console: bool = True,
    sick: Sickness | None = None,
) -> DemoRun:
    """Train and record one run below `dir`/demo."""
    import time
    from dataclasses import asdict

    import runvitals as rv
    from runvitals.lab.contract import HEALTHY
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
        result = train(config, run, sick or HEALTHY)
        background = other_threads() - before
    return DemoRun(run.folder, config, result, background)
