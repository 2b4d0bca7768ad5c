import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runvitals as rv
from runvitals.catalog import resolve
from runvitals.lab.contract import STRENGTHS, Sickness
from runvitals.lab.envs.pendulum import Pendulum
from runvitals.lab.sac import FAULTS, SAC, Batch, Learner, Replay, SACConfig, train, update

TINY = SACConfig(
    total_steps=960,
    num_envs=4,
    learning_starts=640,
    batch_size=16,
    hidden=(8, 8),
    rows=6,
    eval_every=3,
    eval_episodes=2,
    score_episodes=2,
)
DOSES = [(fault.name, strength) for fault in FAULTS for strength in fault.doses]

OURS = {"value/overestimation"}  # what no other tool logs


class Tape:
    """A recorder that only keeps the rows."""

    def __init__(self) -> None:
        self.rows: list[dict[str, float]] = []
        self.summary: dict[str, Any] = {}

    def log(self, values: Any, _: int | None = None) -> None:
        self.rows.append(dict(values))

    @contextmanager
    def timer(self, stage: str) -> Iterator[None]:
        assert stage
        yield

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def rows_of(config: SACConfig = TINY, sick: Sickness | None = None) -> Any:
    tape: Any = Tape()
    trained = train(config, tape, sick or Sickness(FAULTS))
    return tape.rows, trained.score


@functools.cache
def healthy_rows() -> Any:
    return rows_of()


def test_the_same_seed_gives_the_same_numbers_and_another_gives_others() -> None:
    first, again = rows_of(), rows_of()
    other = rows_of(dataclasses.replace(TINY, seed=1))

    np.testing.assert_equal(first, again)
    assert first[0][-1] != other[0][-1]


def test_a_run_can_be_recorded_and_opened_again(start: Callable[..., rv.LiveRun]) -> None:
    run = start()

    trained = train(TINY, run)
    run.finish()

    found = rv.open_run(run.folder)
    assert len(found["reward/mean"]) == TINY.rows
    assert trained.steps == 960


def test_all_that_is_logged_has_a_name_in_the_catalog() -> None:
    rows, _ = rows_of()

    assert len(rows) == TINY.rows
    names = {name for row in rows for name in row}
    assert {name for name in names if resolve(name) is None} == OURS
    assert {"policy/entropy", "policy/entropy_coef", "value/q_mean", "replay/size"} <= names


@pytest.mark.parametrize(("name", "strength"), DOSES)
def test_every_fault_runs_through_and_changes_something(name: str, strength: Any) -> None:
    fault = next(fault for fault in FAULTS if fault.name == name)
    healthy, _ = healthy_rows()

    rows, score = rows_of(sick=Sickness(FAULTS, name, strength))

    assert len(rows) == TINY.rows
    assert isinstance(score, float)
    assert strength in STRENGTHS
    with pytest.raises(AssertionError):
        np.testing.assert_equal(rows, healthy)
    if fault.late and strength == "clear":
        late, _ = rows_of(sick=Sickness(FAULTS, name, strength, onset=0.5))
        np.testing.assert_equal(late[:3], healthy[:3])


def test_the_update_follows_the_gradient_of_the_losses() -> None:
    rng = np.random.default_rng(0)
    config = dataclasses.replace(TINY, value_learning_rate=3e-3)
    learner = Learner(Pendulum(1, rng), config, rng)
    batch = Batch(
        rng.normal(size=(16, 3)).astype(np.float32),
        rng.uniform(-1, 1, (16, 1)).astype(np.float32),
        rng.normal(size=16).astype(np.float32),
        rng.normal(size=(16, 3)).astype(np.float32),
        np.ones(16, np.bool_),  # nothing to bootstrap from: the rewards are the goals
    )

    losses = [update(learner, batch, config, rng)["value/loss"] for _ in range(600)]

    assert losses[-1] < 0.3 * losses[0]


def test_the_temperature_rises_while_the_entropy_is_below_its_target() -> None:
    rng = np.random.default_rng(1)
    for target, rises in ((5.0, True), (-5.0, False)):
        config = dataclasses.replace(TINY, target_entropy=target)
        learner = Learner(Pendulum(1, rng), config, rng)
        buffer = Replay(16, 3, 1)
        zeros = np.zeros((16, 3), np.float32)
        buffer.add(zeros, zeros[:, :1], zeros[:, 0], zeros, zeros[:, 0] > 0)

        for _ in range(20):
            update(learner, buffer.sample(16, rng), config, rng)

        assert (learner.temperature(config) > config.temperature) == rises


def test_the_buffer_keeps_the_latest_steps() -> None:
    buffer = Replay(5, 3, 1)
    for i in range(4):
        numbers = np.full((2, 3), i, np.float32)
        buffer.add(numbers, numbers[:, :1], numbers[:, 0], numbers, numbers[:, 0] > 9)

    assert buffer.size == 5
    assert sorted(buffer.rewards.tolist()) == [1.0, 2.0, 2.0, 3.0, 3.0]
    assert buffer.latest_actions(2).tolist() == [[3.0], [3.0]]


def test_every_fault_without_a_setting_is_asked_for_in_the_trainer() -> None:
    source = Path(inspect.getfile(SACConfig)).read_text()

    for fault in FAULTS:
        assert fault.change is not None or f'sick("{fault.name}"' in source
    assert SAC.task().name == "pendulum"
