"""What A2C, DQN and SAC have in common: seeds, names, and faults that show."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import pytest
from tests.lab.notes import Notes, asks_for, doses, play, same

import runvitals as rv
from runvitals.catalog import resolve
from runvitals.lab import a2c, dqn, off_policy, sac
from runvitals.lab.a2c import A2C
from runvitals.lab.contract import STRENGTHS, Strength, Trained, Trainer
from runvitals.lab.dqn import DQN
from runvitals.lab.envs import world
from runvitals.lab.sac import SAC

ROWS = 6  # that each of the small runs below logs
BRIEF = {"num_envs": 4, "hidden": (8, 8), "eval_every": 3, "eval_episodes": 2, "score_episodes": 2}
REPLAY = {**BRIEF, "batch_size": 16, "rows": ROWS}
OVERESTIMATION = {"value/overestimation"}  # no other tool logs it


class Small(NamedTuple):
    """A trainer, settings with which it takes a moment, and what it is known by."""

    trainer: Trainer
    module: Any
    task: str
    settings: dict[str, Any]
    logs: set[str]
    ours: set[str]


SMALL = [
    Small(
        A2C,
        a2c,
        "cartpole",
        {**BRIEF, "total_steps": 768, "rollout_steps": 8, "log_every": 4},
        {"policy/entropy", "policy/approx_kl", "value/explained_variance", "optim/update_norm"},
        set(),
    ),
    Small(
        DQN,
        dqn,
        "cartpole",
        {**REPLAY, "total_steps": 480, "learning_starts": 64, "target_update_interval": 7},
        {"explore/epsilon", "value/q_max", "value/td_error", "replay/fill_fraction"},
        OVERESTIMATION,
    ),
    Small(
        SAC,
        sac,
        "pendulum",
        {**REPLAY, "total_steps": 960, "learning_starts": 640},
        {"policy/entropy", "policy/entropy_coef", "value/q_mean", "replay/size"},
        OVERESTIMATION,
    ),
]
of_each = pytest.mark.parametrize("small", SMALL, ids=lambda small: small.trainer.name)


@cache
def healthy(name: str) -> tuple[Notes, Trained]:
    small = next(small for small in SMALL if small.trainer.name == name)
    return play(small.trainer, **small.settings)


@of_each
def test_the_same_seed_gives_the_same_numbers_and_another_gives_others(small: Small) -> None:
    first, trained = healthy(small.trainer.name)

    again, trained_again = play(small.trainer, **small.settings)
    other, _ = play(small.trainer, **small.settings, seed=1)

    assert same(first, again)
    assert trained.score == trained_again.score
    assert first.rows[-1] != other.rows[-1]


@of_each
def test_a_run_can_be_recorded_and_opened_again(
    small: Small, start: Callable[..., rv.LiveRun]
) -> None:
    run = start()

    trained = small.trainer.train(small.trainer.config(**small.settings), run)
    run.finish()

    assert len(rv.open_run(run.folder)["reward/mean"]) == ROWS
    assert trained.steps == small.settings["total_steps"]


@of_each
def test_all_that_is_logged_has_a_name_in_the_catalog(small: Small) -> None:
    notes, _ = healthy(small.trainer.name)

    assert len(notes.rows) == ROWS
    assert {name for name in notes.names if resolve(name) is None} == small.ours
    assert small.logs <= notes.names


@pytest.mark.parametrize(
    ("small", "name", "strength"),
    [
        pytest.param(small, *dose, id="-".join((small.trainer.name, *dose)))
        for small in SMALL
        for dose in doses(small.trainer)
    ],
)
def test_every_fault_runs_through_and_changes_something(
    small: Small, name: str, strength: Strength
) -> None:
    well, _ = healthy(small.trainer.name)

    ill, trained = play(small.trainer, name, strength, **small.settings)

    assert len(ill.rows) == ROWS
    assert isinstance(trained.score, float)
    assert strength in STRENGTHS
    assert not same(ill, well)


@pytest.mark.parametrize(
    ("small", "name"),
    [
        pytest.param(small, fault.name, id=f"{small.trainer.name}-{fault.name}")
        for small in SMALL
        for fault in small.trainer.faults
        if fault.late and "clear" in fault.doses
    ],
)
def test_a_late_fault_leaves_the_rows_before_it_alone(small: Small, name: str) -> None:
    well, _ = healthy(small.trainer.name)

    late, _ = play(small.trainer, name, onset=0.5, **small.settings)

    assert same(late.first(ROWS // 2), well.first(ROWS // 2))


@of_each
def test_every_fault_without_a_setting_is_asked_for_in_the_trainer(small: Small) -> None:
    source = "".join(map(inspect.getsource, (small.module, off_policy, world)))

    assert all(asks_for(fault, source) for fault in small.trainer.faults)
    assert small.trainer.task().name == small.task
