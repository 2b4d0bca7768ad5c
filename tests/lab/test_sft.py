import inspect
import math
from typing import Any

import numpy as np
import pytest
from tests.lab.notes import Notes, asks_for, doses, play, same
from tests.lab.slopes import slope_at

from runvitals.catalog import resolve
from runvitals.lab import sft
from runvitals.lab.contract import Sickness, Strength
from runvitals.lab.lm import SequenceNet, judge, push
from runvitals.lab.puzzles import PAD, VOCABULARY, puzzle
from runvitals.lab.sft import SFT, SFTConfig, against, learning_rate_at, train
from runvitals.model import ConfigError

TINY: dict[str, Any] = {
    "max_steps": 6,
    "logging_steps": 2,
    "eval_steps": 4,
    "batch_size": 16,
    "base_steps": 20,
    "eval_samples": 32,
}


def test_the_model_learns_to_sort() -> None:
    notes, trained = play(SFT, max_steps=150, base_steps=20)

    assert trained.score > 0.3 > notes["eval/score_mean"][0]
    assert notes["loss"][-1] < 0.5 * notes["loss"][0]
    assert notes["eval_loss"][-1] < notes["eval_loss"][0]


def test_every_name_resolves() -> None:
    notes, _ = play(SFT, **TINY)

    for name in notes.names:
        assert resolve(name, framework=SFT.framework, algorithm=SFT.algorithm), name
    for name in {SFT.dialects["transformers"].get(name, name) for name in notes.names}:
        assert resolve(name, framework="transformers", algorithm="SFT"), name


def test_a_seed_gives_the_same_numbers_bit_for_bit() -> None:
    first, second, other = (play(SFT, **TINY, seed=seed)[0] for seed in (3, 3, 4))

    assert same(first, second)
    assert not same(first, other)


@pytest.mark.parametrize(("fault", "strength"), doses(SFT))
def test_every_fault_runs_and_changes_something(fault: str, strength: Strength) -> None:
    healthy, _ = play(SFT, **TINY)
    sick, trained = play(SFT, fault, strength, **TINY)

    assert same(healthy, sick) == (fault == "optimizer-lost")  # needs a run that is resumed
    assert 0.0 <= trained.score <= 1.0


@pytest.mark.parametrize("fault", SFT.faults, ids=lambda fault: fault.name)
def test_every_fault_has_its_place_in_the_code(fault: Any) -> None:
    assert asks_for(fault, inspect.getsource(sft))


def test_gradients_for_other_labels_agree_with_finite_differences() -> None:
    rng = np.random.default_rng(1)
    rows = puzzle("sorting").train.take(np.arange(4))
    net = SequenceNet(11, VOCABULARY, rng, hidden=8, dtype=np.float64)
    labels = np.pad(rows.answers[:, 1:], ((0, 0), (0, 1)))

    def loss() -> float:
        return -float(against(judge(net, *rows), labels).log_probs.sum())

    push(net, against(judge(net, *rows), labels), labels, np.full(labels.shape, -1.0))
    grad = net.head.grads.copy()

    for i in np.argsort(-np.abs(grad))[::40]:
        slope = slope_at(loss, net.head.params, i, 1e-5)
        assert slope == pytest.approx(grad[i], rel=1e-3, abs=1e-5)


def test_masked_labels_leave_no_loss_and_no_gradient() -> None:
    notes, _ = play(SFT, "labels-masked", **TINY)

    assert notes["loss"] == [0.0] * 3
    assert notes["grad_norm"] == [0.0] * 3


def test_an_overflow_is_hidden_by_the_filter_and_shown_without_it() -> None:
    hidden, _ = play(SFT, "fp16-overflow", "gross", **TINY)
    shown, _ = play(SFT, "fp16-overflow-unfiltered", "gross", **TINY)

    assert hidden["loss"][1:] == [0.0, 0.0]
    assert not any(map(math.isfinite, hidden["grad_norm"]))
    assert not any(map(math.isfinite, shown["loss"][1:]))


def test_without_steps_the_weights_stay() -> None:
    notes, _ = play(SFT, "optimizer-step-missing", **TINY)

    assert len(set(notes["optim/param_norm"])) == 1
    assert min(notes["grad_norm"]) > 0


def test_a_late_fault_leaves_the_first_part_alone() -> None:
    settings = {**TINY, "max_steps": 10}
    healthy, _ = play(SFT, **settings)
    sick, _ = play(SFT, "lr-x100", onset=0.4, **settings)

    assert sick.rows[:2] == healthy.rows[:2]
    assert sick.rows[2:] != healthy.rows[2:]


@pytest.mark.parametrize("fault", [None, "optimizer-lost"])
def test_a_resumed_run_goes_on_as_if_it_had_never_stopped_if_all_was_kept(
    fault: str | None,
) -> None:
    settings = {**TINY, "max_steps": 8}
    whole, _ = play(SFT, **settings)
    config, sick = SFTConfig(**settings), Sickness(SFT.faults, fault)
    notes = Notes()

    stopped = train(config, notes, sick, stop_at=0.5)
    resumed = train(config, notes, sick, resume=stopped.checkpoint)

    assert (stopped.steps, resumed.steps) == (4, 8)
    assert same(whole, notes) == (fault is None)


def test_the_rate_warms_up_and_falls() -> None:
    for kind, end in (("linear", 0.0), ("cosine", 0.0), ("constant", 1.0)):
        config = SFTConfig(learning_rate=1.0, warmup_ratio=0.1, lr_scheduler_type=kind)

        rates = [learning_rate_at(config, x / 100) for x in range(101)]

        assert rates[0] == 0.0
        assert max(rates) == pytest.approx(rates[10]) == pytest.approx(1.0)
        assert rates[-1] == pytest.approx(end)


def test_settings_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ConfigError, match="multiple"):
        SFTConfig(logging_steps=4, eval_steps=10)
    with pytest.raises(ConfigError, match="one row"):
        SFTConfig(max_steps=2)


def test_labels_are_the_answers_while_nothing_is_wrong() -> None:
    answers = puzzle("brackets").train.answers[:8]

    labels = sft.labels_of(answers, sft.HEALTHY, np.random.default_rng(0))

    np.testing.assert_array_equal(labels, answers)
    assert (labels[:, -1] == PAD).any()
