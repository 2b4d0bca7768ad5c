import numpy as np
import pytest

from runvitals.signals.averaged import behind_running_mean, behind_window


def since_start(rows):
    return np.cumsum(rows) / np.arange(1, len(rows) + 1)


def episodes(level, seed=0, noise=20.0):
    return level + noise * np.random.default_rng(seed).normal(size=len(level))


@pytest.mark.parametrize("gain", [0.0, 20.0, 100.0], ids=["flat", "rises", "rises far"])
def test_gives_back_the_rows_behind_a_mean_since_the_start(gain):
    rows = [episodes(np.linspace(0, gain, 300), seed) for seed in range(20)]

    found = [(one, behind_running_mean(since_start(one))) for one in rows]

    assert sum(behind is not None for _, behind in found) >= 13
    for one, behind in found:
        assert behind is None or behind == pytest.approx(one)


def test_a_real_gain_that_the_mean_hides_is_seen_in_the_rows():
    rows = episodes(np.where(np.arange(400) < 300, 0.0, 60.0))

    found = behind_running_mean(since_start(rows))

    assert found is not None
    assert found[-50:].mean() - found[:250].mean() > 50
    assert np.ptp(since_start(rows)[200:]) < 30


def test_gives_back_hits_and_misses():
    hits = (np.random.default_rng(0).random(300) < 0.14).astype(float)

    found = behind_running_mean(since_start(hits))

    assert found is not None
    assert np.round(found).tolist() == hits.tolist()


@pytest.mark.parametrize(
    "values",
    [
        20 + 400 * np.linspace(0, 1, 200),
        480 * (1 - np.exp(-np.linspace(0, 12, 200))),
        episodes(np.linspace(0, 100, 200)),
        np.full(200, 3.0),
        np.zeros(200),
        since_start(episodes(np.zeros(20))),
        np.convolve(episodes(np.zeros(299)), np.full(100, 0.01), mode="valid"),
        np.r_[np.nan, since_start(episodes(np.zeros(200)))],
    ],
    ids=[
        "a line",
        "settles by itself",
        "episodes",
        "constant",
        "zeros",
        "too short",
        "a window of 100",
        "with a gap",
    ],
)
def test_other_series_are_none(values):
    assert behind_running_mean(values) is None


def test_noise_and_walks_are_hardly_ever_taken_for_one():
    rng = np.random.default_rng(0)
    noise = [behind_running_mean(rng.normal(size=150)) is not None for _ in range(200)]
    walks = [behind_running_mean(np.cumsum(rng.normal(size=150))) is not None for _ in range(200)]

    assert sum(noise) + sum(walks) <= 2


def test_a_log_that_keeps_too_few_decimals_is_left_as_it_is():
    rows = episodes(np.zeros(400), noise=0.5)

    assert behind_running_mean(np.round(since_start(rows), 1)) is None


def test_behind_a_window_of_episodes_is_what_is_new_in_each_row():
    episodes = np.linspace(-1200.0, -200.0, 150) + np.random.default_rng(1).normal(0, 50, 150)
    counts = np.arange(10.0, 151.0, 10.0)
    means = np.array([episodes[max(0, int(n) - 100) : int(n)].mean() for n in counts])

    rows = behind_window(means, counts, 100.0)

    np.testing.assert_allclose(rows, episodes.reshape(15, 10).mean(axis=1), rtol=1e-9)


def test_a_mean_over_fewer_episodes_is_left_as_it_is():
    episodes = np.random.default_rng(2).normal(100.0, 30.0, 150)
    counts = np.arange(5.0, 151.0, 5.0)
    means = np.array([episodes[max(0, int(n) - 5) : int(n)].mean() for n in counts])

    assert behind_window(means, counts, 100.0) is None
