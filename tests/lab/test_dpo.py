import inspect
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.catalog.seed_names import GLOSSARY
from tests.lab.notes import Notes, asks_for, doses, play, same
from tests.lab.slopes import slope_at

from runvitals.catalog import resolve
from runvitals.lab import dpo
from runvitals.lab.contract import HEALTHY, Fault, Sickness, Strength, Trainer
from runvitals.lab.dpo import DPO, KTO, SIMPO, AnswerBatch, Labels, pairs_made_by, preference
from runvitals.lab.dpo_settings import KTOConfig, PreferenceConfig, SimPOConfig
from runvitals.lab.lm import SequenceNet, base_model, judge, push, respond, spoil
from runvitals.lab.puzzles import VOCABULARY, Pairs, is_right, puzzle
from runvitals.model import ConfigError

TINY: dict[str, Any] = {
    "max_steps": 6,
    "logging_steps": 2,
    "eval_steps": 4,
    "batch_size": 8,
    "base_steps": 20,
    "eval_samples": 16,
}
TRAINERS = (DPO, KTO, SIMPO)
CASES = [(trainer, *dose) for trainer in TRAINERS for dose in doses(trainer)]


def name_of(trainer: object) -> str | None:
    return trainer.name if isinstance(trainer, (Trainer, Fault)) else None


@pytest.mark.parametrize("trainer", TRAINERS, ids=name_of)
def test_the_model_learns_to_prefer_right_answers(trainer: Trainer) -> None:
    notes, trained = play(trainer, max_steps=60, eval_steps=20, base_steps=150)

    assert trained.score > notes["eval/score_mean"][0] + 0.02
    assert notes["eval_rewards/margins"][-1] > notes["eval_rewards/margins"][0]
    assert notes["eval_loss"][-1] < notes["eval_loss"][0]


@pytest.mark.parametrize("trainer", TRAINERS, ids=name_of)
def test_every_name_resolves(trainer: Trainer) -> None:
    notes, _ = play(trainer, **TINY)

    for name in notes.names:
        assert resolve(name, framework="trl", algorithm=trainer.algorithm), name
    for name in {trainer.dialects["glossary"].get(name, name) for name in notes.names}:
        assert resolve(name, framework="glossary", algorithm=trainer.algorithm), name


def test_the_names_of_the_documents_are_logged() -> None:
    notes, _ = play(DPO, **TINY)
    in_glossary = {DPO.dialects["glossary"].get(name, name) for name in notes.names}

    wanted = [*GLOSSARY["trl"][:3], "loss/dpo", "rewards/accuracy"]

    assert set(wanted) <= notes.names | in_glossary


@pytest.mark.parametrize("trainer", TRAINERS, ids=name_of)
def test_a_seed_gives_the_same_numbers_bit_for_bit(trainer: Trainer) -> None:
    first, second, other = (play(trainer, **TINY, seed=seed)[0] for seed in (3, 3, 4))

    assert same(first, second)
    assert not same(first, other)


@cache
def healthy_play(name: str) -> Notes:
    [trainer] = [trainer for trainer in TRAINERS if trainer.name == name]
    return play(trainer, **TINY)[0]


@pytest.mark.parametrize(("trainer", "fault", "strength"), CASES, ids=name_of)
def test_every_fault_runs_and_changes_something(
    trainer: Trainer, fault: str, strength: Strength
) -> None:
    sick, trained = play(trainer, fault, strength, **TINY)

    assert not same(healthy_play(trainer.name), sick)
    assert 0.0 <= trained.score <= 1.0


@pytest.mark.parametrize(
    "fault", {f.name: f for t in TRAINERS for f in t.faults}.values(), ids=name_of
)
def test_every_fault_has_its_place_in_the_code(fault: Fault) -> None:
    assert asks_for(fault, inspect.getsource(dpo))


def small(net_seed: int) -> SequenceNet:
    return SequenceNet(
        11, VOCABULARY, np.random.default_rng(net_seed), hidden=8, output_gain=1.0, dtype=np.float64
    )


@pytest.mark.parametrize(
    "config",
    [
        PreferenceConfig(label_smoothing=0.1),
        KTOConfig(),
        SimPOConfig(label_smoothing=0.1),
        SimPOConfig(max_length=4),
    ],
    ids=lambda config: config.method,
)
def test_gradients_agree_with_finite_differences(
    config: PreferenceConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, reference = small(1), small(2)
    rows = puzzle("sorting").train.take(np.arange(6))
    pairs = pairs_made_by(policy, rows, rows.answers.shape[1], np.random.default_rng(0))
    batch = AnswerBatch.of(pairs, np.arange(6) % 2 == 0, config)
    before = batch.log_probs(reference, config)
    # KTO's baseline is taken as given: no gradient flows through it
    fixed = batch.mismatched_kl(policy, reference)
    monkeypatch.setattr(AnswerBatch, "mismatched_kl", lambda *_: fixed)

    def loss() -> float:
        judged = judge(policy, batch.prompts, batch.answers)
        return preference(config, batch, policy, reference, judged, before)[0]["loss"]

    judged = judge(policy, batch.prompts, batch.answers)
    _, weights = preference(config, batch, policy, reference, judged, before)
    push(policy, judged, batch.answers, np.broadcast_to(weights[:, None], judged.mask.shape))
    grad = policy.head.grads.copy()

    for i in np.argsort(-np.abs(grad))[::60]:
        slope = slope_at(loss, policy.head.params, i, 1e-5)
        assert slope == pytest.approx(grad[i], rel=1e-3, abs=1e-6)


def test_dpo_starts_where_policy_and_reference_are_one() -> None:
    notes, _ = play(DPO, **{**TINY, "logging_steps": 1, "eval_steps": 2})

    assert notes["loss"][0] == pytest.approx(math.log(2))
    assert notes["rewards/margins"][0] == 0.0
    assert notes["rewards/accuracies"][0] == 0.0  # ties count as wrong


def test_with_another_reference_dpo_starts_elsewhere() -> None:
    notes, _ = play(
        DPO, "other-reference", "gross", **{**TINY, "logging_steps": 1, "eval_steps": 2}
    )

    assert abs(notes["rewards/margins"][0]) > 0.05


def test_pairs_hold_a_right_and_a_wrong_answer() -> None:
    task = puzzle("sorting")
    rows = task.train.take(np.arange(200))
    model = base_model("sorting", 11, 0, steps=20)

    pairs = pairs_made_by(model, rows, task.answer_width, np.random.default_rng(0))

    assert is_right(pairs.chosen, rows.answers).all()
    assert not is_right(pairs.rejected, rows.answers).any()


def test_swapped_and_random_labels() -> None:
    model = base_model("sorting", 11, 0, steps=20)
    rows = puzzle("sorting").train.take(np.arange(400))
    pairs = pairs_made_by(model, rows, 6, np.random.default_rng(0))
    labels, every = Labels(400, np.random.default_rng(1)), np.arange(400)

    def share_right(fault: str | None) -> float:
        sick = Sickness(DPO.faults, fault) if fault else HEALTHY
        return float(is_right(labels.given(pairs, every, sick).chosen, rows.answers).mean())

    assert share_right(None) == 1.0
    assert share_right("swapped") == 0.0
    assert share_right("random-labels") == pytest.approx(0.6, abs=0.08)


def test_truncation_to_the_mark_leaves_nothing_to_tell_the_answers_apart() -> None:
    rows = puzzle("sorting").train.take(np.arange(20))
    pairs = Pairs(rows.prompts, rows.answers, spoil(rows.answers, 1.0, np.random.default_rng(0)))

    batch = AnswerBatch.of(pairs, np.ones(20, np.bool_), PreferenceConfig(max_length=1))

    np.testing.assert_array_equal(batch.answers[:20], batch.answers[20:])


def test_kto_logs_no_numbers_of_a_class_that_was_not_there() -> None:
    notes, _ = play(KTO, "one-class-batches", "clear", **TINY)

    assert {"rewards/chosen"} <= notes.rows[0].keys()
    assert not {"rewards/rejected", "rewards/margins", "logps/rejected"} & notes.rows[0].keys()


def test_the_held_out_score_is_what_sampling_gives() -> None:
    _, trained = play(DPO, "lr-zero", **TINY)
    task = puzzle("sorting")
    base = base_model("sorting", 11, 0, steps=20, noise=0.5)
    written = respond(base, task.held_out.prompts, 6, np.random.default_rng(0))

    assert trained.score == pytest.approx(is_right(written.tokens, task.held_out.answers).mean())


def test_settings_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ConfigError, match="no method"):
        PreferenceConfig(method="ppo")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="multiple"):
        PreferenceConfig(logging_steps=4, eval_steps=10)
