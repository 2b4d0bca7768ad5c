import numpy as np
import pytest
from tests.lab.slopes import slope_at

from runvitals.lab.lm import SequenceNet, accuracy, base_model, judge, push, respond, spoil
from runvitals.lab.puzzles import (
    END,
    MAKERS,
    MARK,
    PAD,
    VOCABULARY,
    decode,
    encode,
    is_right,
    puzzle,
)


@pytest.mark.parametrize("name", MAKERS)
def test_held_out_prompts_are_never_trained_on(name: str) -> None:
    task = puzzle(name)

    trained = {tuple(row) for row in task.train.prompts}
    held_out = {tuple(row) for row in task.held_out.prompts}

    assert not trained & held_out
    assert len(held_out) == pytest.approx(0.2 * (len(trained) + len(held_out)), abs=1)


@pytest.mark.parametrize(
    ("name", "prompt", "answer"),
    [("addition", "19+38=", "#57."), ("sorting", "4213>", "#1234."), ("brackets", "([>", "#])."),],
)  # fmt: skip
def test_a_puzzle_holds_the_right_answer(name: str, prompt: str, answer: str) -> None:
    task = puzzle(name)

    table = {
        decode(row): decode(right)
        for part in (task.train, task.held_out)
        for row, right in zip(*part, strict=True)
    }

    assert table[prompt] == answer


def test_only_the_exact_answer_is_right() -> None:
    answers = encode(["#57."] * 4, 5)
    responses = encode(["#57.", "#57", "#57.1", "57."], 8)

    assert is_right(responses, answers).tolist() == [True, False, False, False]


def test_spoilt_answers_are_wrong_and_well_formed() -> None:
    answers = puzzle("brackets").train.answers

    spoilt = spoil(answers, 1.0, np.random.default_rng(0))

    assert not is_right(spoilt, answers).any()
    assert (spoilt[:, 0] == MARK).all()
    assert (spoilt == END).any(axis=1).all()


def test_reading_token_by_token_gives_what_reading_at_once_gives() -> None:
    rng = np.random.default_rng(0)
    net = SequenceNet(6, VOCABULARY, rng)
    tokens = rng.integers(0, VOCABULARY, (4, 6))
    state = net.begin(4)

    outputs = [net.add(state, column, tokens[:, column]) for column in range(6)]

    np.testing.assert_allclose(np.stack(outputs, 1), net.read(tokens).outputs, atol=1e-5)


def test_gradients_agree_with_finite_differences() -> None:
    rng = np.random.default_rng(1)
    net = SequenceNet(11, VOCABULARY, rng, hidden=12, dtype=np.float64)
    rows = puzzle("addition").train.take(np.arange(5))
    weights, entropy_weights = rng.standard_normal((2, *rows.answers.shape))

    def objective() -> float:
        judged = judge(net, *rows)
        return float((weights * judged.log_probs + entropy_weights * judged.entropy).sum())

    push(net, judge(net, *rows), rows.answers, weights, entropy_weights)
    grads = [grad.copy() for grad in net.grads]

    for params, grad in zip(net.params, grads, strict=True):
        for i in np.argsort(-np.abs(grad))[:: max(1, len(grad) // 20)]:
            slope = slope_at(objective, params, i, 1e-5)
            assert slope == pytest.approx(grad[i], rel=1e-3, abs=1e-5)


def test_what_a_model_wrote_is_judged_as_likely_as_it_was() -> None:
    model = base_model("sorting", 12, 0, steps=30)
    prompts = puzzle("sorting").held_out.prompts[:64]

    written = respond(model, prompts, 7, np.random.default_rng(0))

    judged = judge(model, prompts, written.tokens)
    np.testing.assert_allclose(judged.log_probs, written.log_probs, atol=1e-4)
    assert (written.tokens[~written.mask] == PAD).all()


def test_a_base_model_knows_some_answers_and_is_the_same_for_the_same_seed() -> None:
    model = base_model("sorting", 12, 0)
    base_model.cache_clear()
    again = base_model("sorting", 12, 0)

    assert accuracy(model, puzzle("sorting")) > 0.8
    for mine, theirs in zip(model.params, again.params, strict=True):
        np.testing.assert_array_equal(mine, theirs)
