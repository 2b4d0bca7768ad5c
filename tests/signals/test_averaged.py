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


@pytest.mark.parametrize("n", [200, 1000])
def test_single_episodes_may_have_another_sign_than_all_means(n):
    rows = [episodes(np.full(n, 20.0), seed, noise=10.0) for seed in range(40)]
    positive = [one for one in rows if since_start(one).min() >= 0]

    found = sum(behind_running_mean(since_start(one)) is not None for one in positive)

    assert len(positive) >= 30
    assert found >= 0.8 * len(positive)


@pytest.mark.parametrize("n", [60, 200, 1000])
def test_gives_back_the_shares_behind_a_mean_of_every_ten_episodes(n):
    found = 0
    for seed in range(40):
        shares = np.random.default_rng(seed).binomial(10, 0.12, n) / 10
        behind = behind_running_mean(since_start(shares))
        found += behind is not None
        assert behind is None or behind == pytest.approx(shares, abs=1e-9)

    assert found >= 26


def test_rates_of_their_own_are_no_means_since_the_start():
    """Rises of many forms, each row a share of its own episodes or of a window of them."""
    found = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        for n in (45, 120, 400):
            x = np.linspace(0, 1, n)
            for rise in (x, 1 - np.exp(-8 * x), 1 / (1 + np.exp(-12 * (x - 0.4))), x / (x + 0.1)):
                own = np.clip(0.95 * rise + 0.02 * rng.standard_normal(n), 0, 1)
                window = np.convolve(np.r_[np.zeros(9), own], np.full(10, 0.1), mode="valid")
                found += behind_running_mean(own) is not None
                found += behind_running_mean(np.clip(window, 0, 1)) is not None

    assert found == 0


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
