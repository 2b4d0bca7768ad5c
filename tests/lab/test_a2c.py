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
from runvitals.lab.a2c import A2C, FAULTS, A2CConfig, Batch, Learner, n_step_returns, train, update
from runvitals.lab.contract import STRENGTHS, Sickness
from runvitals.lab.nn import MLP, Adam

TINY = A2CConfig(
    total_steps=768,
    num_envs=4,
    rollout_steps=8,
    hidden=(8, 8),
    log_every=4,
    eval_every=3,
    eval_episodes=2,
    score_episodes=2,
)
ROWS = 6
DOSES = [(fault.name, strength) for fault in FAULTS for strength in fault.doses]


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


def rows_of(config: A2CConfig = TINY, sick: Sickness | None = None) -> Any:
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
    assert len(found["reward/mean"]) == ROWS
    assert trained.steps == 768


def test_all_that_is_logged_has_a_name_in_the_catalog() -> None:
    rows, _ = rows_of()

    assert len(rows) == ROWS
    names = {name for row in rows for name in row}
    assert all(resolve(name) for name in names)
    assert {
        "policy/entropy",
        "policy/approx_kl",
        "value/explained_variance",
        "optim/update_norm",
    } <= names


@pytest.mark.parametrize(("name", "strength"), DOSES)
def test_every_fault_runs_through_and_changes_something(name: str, strength: Any) -> None:
    fault = next(fault for fault in FAULTS if fault.name == name)
    healthy, _ = healthy_rows()

    rows, score = rows_of(sick=Sickness(FAULTS, name, strength))

    assert len(rows) == ROWS
    assert isinstance(score, float)
    assert strength in STRENGTHS
    with pytest.raises(AssertionError):
        np.testing.assert_equal(rows, healthy)
    if fault.late and strength == "clear":
        late, _ = rows_of(sick=Sickness(FAULTS, name, strength, onset=0.5))
        np.testing.assert_equal(late[:3], healthy[:3])


def test_returns_stop_at_terminal_states_and_bootstrap_at_the_step_limit() -> None:
    rewards = np.ones((3, 3), np.float32)
    terminated = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]], np.bool_)
    truncated = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], np.bool_)

    returns = n_step_returns(
        rewards,
        np.full(3, 8.0, np.float32),
        terminated=terminated,
        truncated=truncated,
        final_values=np.full((3, 3), 4.0, np.float32),
        gamma=0.5,
    )

    assert returns[:, 0].tolist() == [1.5, 1.0, 5.0]
    assert returns[:, 1].tolist() == [2.5, 3.0, 5.0]
    assert returns[:, 2].tolist() == [2.75, 3.5, 5.0]


def learner_of(rng: np.random.Generator) -> Learner:
    policy = MLP([4, 6, 3], rng, dtype=np.float64)
    critic = MLP([4, 6, 1], rng, dtype=np.float64)
    return Learner(policy, critic, Adam([policy.params]), Adam([critic.params]))


def test_the_gradient_of_the_loss_agrees_with_finite_differences() -> None:
    rng = np.random.default_rng(0)
    learner = learner_of(rng)
    observations = rng.normal(size=(10, 4))
    batch = Batch(
        observations,
        rng.integers(0, 3, 10),
        np.zeros(10),
        np.zeros(10),
        np.zeros(10),
        rng.normal(size=10),
        rng.normal(size=10),
    )
    config = dataclasses.replace(TINY, entropy_coef=0.1, max_grad_norm=None)

    def loss() -> float:
        return update(learner, batch, config, share=0.0)["optim/loss"]

    loss()
    for network in (learner.policy, learner.critic):
        found = network.grads.copy()
        for i in range(len(network.params)):
            network.params[i] += 1e-6
            above = loss()
            network.params[i] -= 2e-6
            below = loss()
            network.params[i] += 1e-6
            assert found[i] == pytest.approx((above - below) / 2e-6, abs=1e-6)


def test_every_fault_without_a_setting_is_asked_for_in_the_trainer() -> None:
    source = Path(inspect.getfile(A2CConfig)).read_text()

    for fault in FAULTS:
        assert fault.change is not None or f'sick("{fault.name}"' in source
    assert A2C.task().name == "cartpole"
