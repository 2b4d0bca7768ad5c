import inspect
import math
from typing import Any

import numpy as np
import pytest
from tests.catalog.seed_names import GLOSSARY
from tests.lab.notes import asks_for, doses, play, same
from tests.lab.slopes import slope_at

from runvitals.catalog import resolve
from runvitals.lab import reward_model
from runvitals.lab.contract import Fault, Strength
from runvitals.lab.lm import SequenceNet
from runvitals.lab.puzzles import END, puzzle
from runvitals.lab.reward_model import (
    REWARD_MODEL,
    RewardModelConfig,
    loss_grad,
    score,
    spoilt_pairs,
    statistics,
)
from runvitals.model import ConfigError

TINY: dict[str, Any] = {
    "max_steps": 6,
    "logging_steps": 2,
    "eval_steps": 4,
    "batch_size": 8,
    "eval_samples": 16,
}


def test_the_judge_learns_to_tell_right_from_wrong() -> None:
    notes, trained = play(REWARD_MODEL, max_steps=100)

    assert trained.score > 0.8
    assert notes["rm/loss"][-1] < 0.5 < notes["rm/loss"][0]
    assert notes["eval/rm/accuracy"][-1] > 0.75


def test_every_name_resolves() -> None:
    notes, _ = play(REWARD_MODEL, **TINY)

    for name in notes.names:
        assert resolve(name, framework="glossary", algorithm="Reward"), name
    for name in {REWARD_MODEL.dialects["trl"].get(name, name) for name in notes.names}:
        assert resolve(name, framework="trl", algorithm="Reward"), name


def test_the_names_of_the_documents_are_logged() -> None:
    notes, _ = play(REWARD_MODEL, **TINY)

    assert {name for name in GLOSSARY["glossary"] if name.startswith("rm/")} <= notes.names


def test_a_seed_gives_the_same_numbers_bit_for_bit() -> None:
    first, second, other = (play(REWARD_MODEL, **TINY, seed=seed)[0] for seed in (3, 3, 4))

    assert same(first, second)
    assert not same(first, other)


@pytest.mark.parametrize(("fault", "strength"), doses(REWARD_MODEL))
def test_every_fault_runs_and_changes_something(fault: str, strength: Strength) -> None:
    healthy, _ = play(REWARD_MODEL, **TINY)
    sick, trained = play(REWARD_MODEL, fault, strength, **TINY)

    assert not same(healthy, sick)
    assert 0.0 <= trained.score <= 1.0


@pytest.mark.parametrize("fault", REWARD_MODEL.faults, ids=lambda fault: fault.name)
def test_every_fault_has_its_place_in_the_code(fault: Fault) -> None:
    assert asks_for(fault, inspect.getsource(reward_model))


def test_gradients_agree_with_finite_differences() -> None:
    config = RewardModelConfig(center_rewards=0.1)
    net = SequenceNet(12, 1, np.random.default_rng(1), hidden=8, output_gain=1.0, dtype=np.float64)
    pairs = spoilt_pairs(puzzle("sorting").train.take(np.arange(5)), np.random.default_rng(0))

    def loss() -> float:
        return statistics(score(net, pairs), config)["rm/loss"]

    scored = score(net, pairs)
    net.backward(scored.reading, scored.at_outputs(loss_grad(scored, config)))
    grads = [grad.copy() for grad in net.grads]

    for params, grad in zip(net.params, grads, strict=True):
        for i in np.argsort(-np.abs(grad))[:: max(1, len(grad) // 8)]:
            slope = slope_at(loss, params, i, 1e-5)
            assert slope == pytest.approx(grad[i], rel=1e-3, abs=1e-6)


def test_the_score_is_read_at_the_end_token() -> None:
    pairs = spoilt_pairs(puzzle("brackets").train.take(np.arange(20)), np.random.default_rng(0))
    net = SequenceNet(16, 1, np.random.default_rng(0))

    scored = score(net, pairs)

    assert (scored.reading.tokens[np.arange(40), scored.columns] == END).all()


@pytest.mark.parametrize("fault", ["score-at-padding", "head-frozen"])
def test_a_judge_that_cannot_learn_stays_at_a_coin_toss(fault: str) -> None:
    notes, _ = play(REWARD_MODEL, fault, **TINY)

    assert notes["rm/loss"] == pytest.approx([math.log(2)] * 3, abs=1e-4)
    assert notes["rm/reward_margin"] == pytest.approx([0.0] * 3, abs=1e-4)


def test_settings_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ConfigError, match="multiple"):
        RewardModelConfig(logging_steps=4, eval_steps=10)
