import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs

import runvitals as rv
from runvitals.testing import check, make_run

N = 80
LOSS = 1.0 + 0.1 * np.random.default_rng(0).standard_normal(N)


def run(**series):
    named = {name.replace("__", "/"): values for name, values in series.items()}
    return make_run({"policy/loss": LOSS, **named}, every=100, algorithm="PPO")


def test_fires_when_training_goes_on_without_its_outcome():
    [finding] = check(run(outcome__return_mean=learning()[:40]), "REW013")

    assert finding.severity == "warning"
    assert finding.message == (
        "outcome/return_mean is not logged after step 4,000, although training continued to step 8,000"
    )


def test_it_is_a_notice_while_another_outcome_goes_on():
    seen = run(outcome__return_mean=learning(), eval__return_mean=learning()[:40])

    [finding] = check(seen, "REW013")

    assert finding.severity == "notice"
    assert finding.series == "eval/return_mean"


@pytest.mark.parametrize(
    "outcome",
    [
        learning(),
        learning()[:65],
        {100 * step: 1.0 for step in (10, 30, 60)},
        {100 * step: 1.0 for step in (1, 2, 3, 4, 20, 40)},
        {100: 1.0, 200: 2.0},
    ],
    ids=["to the end", "nearly", "seldom evaluated", "ever longer episodes", "two points"],
)
def test_stays_silent(outcome):
    assert check(run(outcome__return_mean=outcome), "REW013") == []


def rows(named, folder):
    """A table in which each series fills the cells that it has."""
    table = folder / "log.csv"
    lines = [",".join(["step", *named])]
    for row in range(N):
        cells = (repr(float(values[row])) if row < len(values) else "" for values in named.values())
        lines.append(",".join([str(100 * row), *cells]))
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return rv.open_run(table)


@pytest.mark.parametrize("outcome", ["reward", "success_rate"])
@pytest.mark.parametrize("beside", ["kl", "entropy", "loss", "something"])
@pytest.mark.parametrize("left", [32, 56])
def test_what_was_logged_in_the_same_rows_shows_that_training_goes_on(
    outcome, beside, left, tmp_path
):
    for seed in range(5):
        noise = 0.05 * np.random.default_rng(seed).standard_normal((2, N))
        rising = np.clip(np.linspace(0.1, 0.9, N) + noise[0], 0, 1)
        other = 1 - 0.5 * np.linspace(0, 1, N) + noise[1]

        stopped = rows({outcome: rising[:left], beside: other}, tmp_path)
        whole = rows({outcome: rising, beside: other}, tmp_path)

        assert [one.severity for one in check(stopped, "REW013")] == ["warning"]
        assert check(whole, "REW013") == []


@pytest.mark.parametrize(
    "other",
    [np.arange(N), np.full(N, 3.0), np.r_[0.5, np.full(N - 1, 0.1)]],
    ids=["a counter", "a setting", "a schedule"],
)
def test_what_only_counts_shows_no_training(other, tmp_path):
    run = rows({"reward": learning()[:40], "something": other}, tmp_path)

    assert check(run, "REW013") == []


def test_a_summary_at_the_very_end_is_no_training():
    series = {"outcome/return_mean": learning()[:40], "optim/loss": {8000: 1.0}}

    assert check(make_run(series, every=100, algorithm="PPO"), "REW013") == []


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "policy/loss"):
        check(odd, "REW013")


def test_rows_that_another_column_counts_are_no_sign_that_training_went_on(tmp_path):
    log = tmp_path / "log.csv"
    rewards = "".join(f"{i},{value}\n" for i, value in enumerate(learning()))
    losses = "".join(f"{i},{2 / (1 + i)},{2.1 / (1 + i)}\n" for i in range(30))
    log.write_text(f"episode,reward\n{rewards}epoch,train_loss,val_loss\n{losses}")

    found = rv.open_run(log)

    assert found.counted_by == {"epoch": "epoch", "train_loss": "epoch", "val_loss": "epoch"}
    assert check(found, "REW013") == []
