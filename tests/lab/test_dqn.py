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
from runvitals.lab.dqn import (
    DQN,
    FAULTS,
    Batch,
    DQNConfig,
    Lookahead,
    Met,
    Replay,
    exploration,
    train,
    update,
)
from runvitals.lab.nn import MLP, Adam

TINY = DQNConfig(
    total_steps=480,
    num_envs=4,
    learning_starts=64,
    target_update_interval=7,
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


def rows_of(config: DQNConfig = TINY, sick: Sickness | None = None) -> Any:
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
    assert trained.steps == 480


def test_all_that_is_logged_has_a_name_in_the_catalog() -> None:
    rows, _ = rows_of()

    assert len(rows) == TINY.rows
    names = {name for row in rows for name in row}
    assert {name for name in names if resolve(name) is None} == OURS
    assert {"explore/epsilon", "value/q_max", "value/td_error", "replay/fill_fraction"} <= names


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


def a_batch(rng: np.random.Generator, terminated: bool) -> Batch:
    return Batch(
        rng.normal(size=(16, 4)).astype(np.float32),
        rng.integers(0, 2, 16),
        rng.normal(size=16).astype(np.float32),
        rng.normal(size=(16, 4)).astype(np.float32),
        np.full(16, 0.0 if terminated else 0.9, np.float32),
    )


def test_the_network_learns_the_rewards_of_terminal_steps() -> None:
    rng = np.random.default_rng(0)
    network, target = MLP([4, 16, 2], rng), MLP([4, 16, 2], rng)
    optimizer = Adam([network.params])
    batch = a_batch(rng, terminated=True)

    losses = [
        update(network, target, optimizer, batch, TINY, 1e-2)["value/loss"] for _ in range(400)
    ]

    assert losses[-1] < 0.05 * losses[0]


@pytest.mark.parametrize("double", [True, False])
def test_the_target_is_the_reward_and_the_discounted_value_of_the_next_state(double: bool) -> None:
    rng = np.random.default_rng(1)
    network, target = MLP([4, 8, 2], rng), MLP([4, 8, 2], rng)
    batch = a_batch(rng, terminated=False)
    config = dataclasses.replace(TINY, double=double)
    theirs = target(batch.next_observations)
    chosen = (network(batch.next_observations) if double else theirs).argmax(axis=1)
    expected = batch.rewards + 0.9 * theirs[np.arange(16), chosen]
    errors = network(batch.observations)[np.arange(16), batch.actions] - expected

    metrics = update(network, target, Adam([network.params]), batch, config, 1e-3)

    assert metrics["value/q_target_mean"] == pytest.approx(expected.mean(), rel=1e-4)
    assert metrics["value/td_error"] == pytest.approx(np.abs(errors).mean(), rel=1e-4)


def test_the_gradient_of_the_huber_loss_agrees_with_finite_differences() -> None:
    rng = np.random.default_rng(2)
    network = MLP([4, 5, 2], rng, dtype=np.float64)
    batch = a_batch(rng, terminated=True)
    frozen = Adam([np.zeros_like(network.params)])
    config = dataclasses.replace(TINY, huber_delta=0.7, max_grad_norm=1e9)

    def loss() -> float:
        return update(network, network, frozen, batch, config, 0.0)["value/loss"]

    loss()
    found = network.grads.copy()
    for i in range(len(network.params)):
        network.params[i] += 1e-6
        above = loss()
        network.params[i] -= 2e-6
        below = loss()
        network.params[i] += 1e-6
        assert found[i] == pytest.approx((above - below) / 2e-6, abs=1e-6)


def test_epsilon_falls_in_a_straight_line_and_then_stays() -> None:
    config = dataclasses.replace(TINY, exploration_fraction=0.4, exploration_final_eps=0.1)

    found = [exploration(config, progress) for progress in (0.0, 0.2, 0.4, 1.0)]

    assert found == pytest.approx([1.0, 0.55, 0.1, 0.1])


def test_looking_ahead_stops_where_an_episode_ends() -> None:
    ahead = Lookahead(3)
    going, over = np.array([False] * 3), np.array([False, True, True])
    terminated = np.array([False, True, False])  # one goes on, one terminates, one is cut off
    for t in range(3):
        here, there = (np.full((3, 1), x, np.float32) for x in (t, t + 1))
        flags = (terminated, over) if t == 1 else (going, going)
        ahead.add(Met(here, np.full(3, t), np.ones(3, np.float32), there, *flags))

    found = ahead.oldest(gamma=0.5)

    assert ahead.full
    assert found.observations.tolist() == [[0.0]] * 3
    assert found.rewards.tolist() == [1.75, 1.5, 1.5]
    assert found.next_observations[[0, 2]].tolist() == [[3.0], [2.0]]
    assert found.discounts.tolist() == [0.125, 0.0, 0.25]


def test_the_buffer_keeps_the_latest_steps() -> None:
    buffer = Replay(5, 3)
    for i in range(4):
        numbers = np.full((2, 3), i, np.float32)
        buffer.add(Batch(numbers, np.full(2, i), numbers[:, 0], numbers, numbers[:, 0]))

    assert buffer.size == 5
    assert sorted(buffer.rewards.tolist()) == [1.0, 2.0, 2.0, 3.0, 3.0]
    assert buffer.latest(2).tolist() == [[3.0] * 3] * 2


def test_every_fault_without_a_setting_is_asked_for_in_the_trainer() -> None:
    source = Path(inspect.getfile(DQNConfig)).read_text()

    for fault in FAULTS:
        assert fault.change is not None or f'sick("{fault.name}"' in source
    assert DQN.task().name == "cartpole"
