import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 80
FLAT = 1.8 + 0.01 * RNG.standard_normal(N)


def run(loss, **more):
    series = {"lm/loss": loss, **{k.replace("__", "/"): v for k, v in more.items()}}
    return make_run(series, algorithm="SFT")


def test_fires_when_many_epochs_bring_nothing():
    [finding] = check(run(FLAT, progress__epoch=np.linspace(0, 3, N)), "SFT001")

    assert finding.severity == "warning"
    assert finding.message.endswith("no improvement")


def test_fires_on_a_learning_rate_of_nothing():
    [finding] = check(run(FLAT, optim__learning_rate=[1e-9] * N), "SFT001")

    assert finding.severity == "warning"


def test_a_loss_that_stands_still_is_a_warning_at_a_usual_learning_rate_too():
    found = check(run(FLAT, optim__learning_rate=[1e-5] * N), "SFT001")

    assert [finding.severity for finding in found] == ["warning"]


def test_the_same_loss_in_all_rows_is_a_fact():
    [finding] = check(run([0.0] * N), "SFT001")

    assert finding.message == "lm/loss is 0 in all 80 rows: no improvement"


def test_fires_when_the_loss_is_gone_and_no_answer_is_right():
    loss = np.geomspace(2, 0.002, N)

    [finding] = check(
        run(loss, eval__loss=np.geomspace(1, 0.002, 20), eval__score_mean=[0.0] * 20), "SFT001"
    )

    assert finding.severity == "critical"


def compared(trained, other, right=0.9, easier=0.99):
    return run(
        trained + 0.01 * RNG.standard_normal(N),
        lm__token_accuracy=np.full(N, 1.0) * right,
        eval__loss=np.concatenate([np.linspace(1, other, 5), [other] * 15]),
        eval__lm__token_accuracy=np.full(20, easier),
    )


FALLEN = np.concatenate([np.linspace(2.0, 0.5, 20), np.full(N - 20, 0.5)])


def test_held_out_data_that_are_far_easier_speak_for_wrong_labels():
    [finding] = check(compared(FALLEN, 0.1), "SFT001")

    assert finding.severity == "warning"
    assert finding.message.endswith("the training labels look wrong")


@pytest.mark.parametrize(
    "right", [0.97, np.linspace(0.6, 0.9, N)], ids=["as right", "still learns"]
)
def test_other_held_out_data_are_no_sign_of_wrong_labels(right):
    assert check(compared(FALLEN, 0.1, right=right), "SFT001") == []


@pytest.mark.parametrize(
    "loss",
    [
        np.linspace(2.0, 1.2, N) + 0.05 * RNG.standard_normal(N),
        np.concatenate([[3.0, 2.2], np.full(N - 2, 1.8)]),
        1.8 + 0.4 * RNG.standard_normal(7),
        FLAT[:4],
        [np.nan] * N,
    ],
    ids=["learning", "fell at once", "too noisy to tell", "too short", "all nan"],
)
def test_stays_silent(loss):
    assert check(run(loss, progress__epoch=np.linspace(0, 3, len(loss))), "SFT001") == []
