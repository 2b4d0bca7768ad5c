import inspect
from typing import Any

import numpy as np
import pytest
from tests.catalog.seed_names import TENSORBOARD
from tests.lab.notes import asks_for, doses, play, same
from tests.lab.slopes import slope_at

from runvitals.catalog import resolve
from runvitals.lab import teacher
from runvitals.lab.contract import Fault, Strength
from runvitals.lab.lm import SequenceNet, respond
from runvitals.lab.nn import Adam, Array
from runvitals.lab.puzzles import VOCABULARY, decode
from runvitals.lab.teacher import (
    RUBRIC,
    TEACHER,
    TeacherConfig,
    careless,
    marks_of,
    prompts,
    update,
)
from runvitals.model import ConfigError

TINY: dict[str, Any] = {
    "epochs": 2,
    "batches_per_epoch": 2,
    "prompts_per_batch": 4,
    "base_steps": 60,
    "eval_every": 2,
    "performance_every": 2,
}


def test_the_student_learns_what_the_teacher_wants() -> None:
    notes, trained = play(TEACHER, epochs=4, batches_per_epoch=10)

    assert trained.score > 0.65
    assert notes["Epoch/AvgReward"][-1] > notes["Epoch/AvgReward"][0] + 0.05
    assert notes["Epoch/RewardTrend"][0] > 0


def test_a_usual_run_meets_the_targets_of_its_reference() -> None:
    notes, _ = play(TEACHER, epochs=16)  # whichever order sums are taken in
    epochs = {name: notes[f"Epoch/{name}"] for name in ("AvgLoss", "AvgReward")}
    trend, variance = notes["Epoch/LossTrend"], notes["Epoch/RewardVariance"]

    assert epochs["AvgLoss"][-1] < 0.7 * epochs["AvgLoss"][0]
    assert np.mean(np.array(trend) > 0) > 0.7
    assert np.abs(trend[-3:]).max() < 0.1 * epochs["AvgLoss"][0]  # and settles
    assert epochs["AvgReward"][-1] > 0.7
    assert variance[-1] < 0.01


def test_every_name_resolves() -> None:
    notes, _ = play(TEACHER, **TINY)

    for name in notes.names:
        assert resolve(name, framework="teacher-tuner", algorithm=TEACHER.algorithm), name


def test_the_names_of_the_document_are_logged() -> None:
    notes, _ = play(TEACHER, **TINY)

    wanted = [n for n in TENSORBOARD["teacher-tuner"] if not n.startswith("System/")]

    assert set(wanted) <= notes.names


def test_a_seed_gives_the_same_numbers_bit_for_bit() -> None:
    first, second, other = (play(TEACHER, **TINY, seed=seed)[0] for seed in (3, 3, 4))

    assert same(first, second)
    assert not same(first, other)


@pytest.mark.parametrize(("fault", "strength"), doses(TEACHER))
def test_every_fault_runs_and_changes_something(fault: str, strength: Strength) -> None:
    healthy, _ = play(TEACHER, **TINY)
    sick, trained = play(TEACHER, fault, strength, **TINY)

    assert same(healthy, sick) == (fault == "slow-generation")  # here the clock stands still
    assert 0.0 <= trained.score <= 1.0


@pytest.mark.parametrize("fault", TEACHER.faults, ids=lambda fault: fault.name)
def test_every_fault_has_its_place_in_the_code(fault: Fault) -> None:
    assert asks_for(fault, inspect.getsource(teacher))


def test_generation_slows_down(monkeypatch: pytest.MonkeyPatch) -> None:
    naps: list[float] = []
    monkeypatch.setattr(teacher.time, "sleep", naps.append)

    play(TEACHER, "slow-generation", onset=0.5, **TINY)

    assert len(naps) == 2
    assert min(naps) > 0


@pytest.mark.parametrize(
    ("program", "marks"),
    [
        ("#9+1.", (1.0, 1.0, 1.0, 1.0)),
        ("3+5+2.", (1.0, 1.0, 0.6, 0.0)),
        ("#3+5+2+0.", (1.0, 0.5, 3 / 7, 1.0)),
        ("9.", (0.45, 1.0, 1.0, 0.0)),
        ("#3+5+", (0.0, 0.0, 0.0, 1.0)),
        ("12.", (0.0, 0.0, 0.0, 0.0)),
        ("", (0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_the_marks_of_a_program(program: str, marks: tuple[float, ...]) -> None:
    assert marks_of("352>", program) == pytest.approx(marks)


def test_careless_programs_earn_something_and_not_everything() -> None:
    rng = np.random.default_rng(0)
    questions = [decode(row) for row in prompts()[0][:300]]

    rewards = [np.dot(marks_of(q, careless(q, rng)), RUBRIC) for q in questions]

    assert 0.4 < np.mean(rewards) < 0.8


def test_no_question_is_both_learned_from_and_held_out() -> None:
    questions, held_out = ({tuple(row) for row in rows} for rows in prompts())

    assert not questions & held_out
    assert len(questions) + len(held_out) == 9**3


def test_the_loss_is_policy_loss_plus_penalty_and_its_gradient_is_right() -> None:
    config = TeacherConfig(kl_coef=0.3, max_grad_norm=1e9, prompts_per_batch=3)
    student, first = (
        SequenceNet(14, VOCABULARY, np.random.default_rng(i), hidden=8, dtype=np.float64)
        for i in (1, 2)
    )
    asked = np.repeat(prompts()[0][:3], 4, axis=0)
    written = respond(student, asked, 10, np.random.default_rng(0))
    rewards: Array = np.random.default_rng(3).random(12)

    def step() -> float:
        still = Adam(student.params)
        losses, _ = update(student, first, still, asked, written, rewards, config, 0.0)
        assert losses["Train/Loss"] == pytest.approx(
            losses["Train/PolicyLoss"] + losses["Train/KLPenalty"]
        )
        return losses["Train/Loss"]

    step()
    grad = student.head.grads.copy()

    for i in np.argsort(-np.abs(grad))[::40]:
        slope = slope_at(step, student.head.params, i, 1e-5)
        assert slope == pytest.approx(grad[i], rel=1e-3, abs=1e-6)


def test_the_cost_of_the_teacher_is_counted() -> None:
    healthy, _ = play(TEACHER, **TINY)
    growing, _ = play(TEACHER, "token-cost-grows", "gross", **TINY)

    samples = healthy["Epoch/NumSamples"]
    assert samples == [32.0, 32.0]
    assert min(healthy["Epoch/APITokens"]) > 32 * 50
    assert growing["Epoch/APITokens"][1] > 1.3 * healthy["Epoch/APITokens"][1]


def test_a_run_of_nothing_is_refused() -> None:
    with pytest.raises(ConfigError):
        TeacherConfig(epochs=0)
