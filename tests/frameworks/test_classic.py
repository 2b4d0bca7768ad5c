"""Stable-Baselines3, scikit-learn, torch and rliable as oracles."""

from __future__ import annotations

import numpy as np
import pytest

from runvitals import metrics

torch = pytest.importorskip("torch", reason="needs torch")
from torch import distributions as dist  # noqa: E402
from torch.nn import functional as F  # noqa: E402, N812

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]


def t(x):
    return torch.as_tensor(np.asarray(x))


@pytest.mark.parametrize("seed", range(4))
def test_explained_variance(close, seed):
    sb3 = pytest.importorskip("stable_baselines3.common.utils", reason="needs stable-baselines3")
    sklearn = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")
    rng = np.random.default_rng(seed)
    n = [2, 5, 100, 1000][seed]
    v, r = rng.normal(size=n), rng.normal(2.0, 3.0, size=n)

    found = metrics.explained_variance(v, r)

    close("stable-baselines3 explained_variance", found, sb3.explained_variance(v, r))
    close("scikit-learn explained_variance_score", found, sklearn.explained_variance_score(r, v))
    close(
        "scikit-learn mean_squared_error",
        metrics.value_error(v, r),
        sklearn.mean_squared_error(r, v),
    )


@pytest.mark.parametrize("seed", range(4))
def test_gae_of_a_rollout_buffer(close, seed):
    buffers = pytest.importorskip(
        "stable_baselines3.common.buffers", reason="needs stable-baselines3"
    )
    gym = pytest.importorskip("gymnasium", reason="needs gymnasium")
    rng = np.random.default_rng(seed)
    steps, envs = [(1, 1), (7, 1), (32, 4), (128, 8)][seed]
    buffer = buffers.RolloutBuffer(
        steps, gym.spaces.Box(-1, 1, (2,)), gym.spaces.Discrete(2), n_envs=envs, gae_lambda=0.9
    )
    done = rng.random((steps, envs)) < 0.1
    truncated = done & (rng.random((steps, envs)) < 0.5)
    final = rng.normal(size=(steps, envs))
    rewards, values = rng.normal(size=(2, steps, envs))
    # SB3 adds the cut-off state's value to the reward and then treats the step as an end.
    buffer.rewards = rewards + 0.99 * np.where(truncated, final, 0.0)
    buffer.values = values
    buffer.advantages = np.zeros((steps, envs))
    starts = np.vstack([np.zeros((1, envs)), done[:-1]])
    buffer.episode_starts = starts.astype(np.float32)
    last = rng.normal(size=envs)
    buffer.compute_returns_and_advantage(torch.as_tensor(last), done[-1].astype(np.float64))

    found = metrics.gae(
        rewards,
        values,
        last,
        terminated=done & ~truncated,
        truncated=truncated,
        final_values=final,
        gamma=0.99,
        lam=0.9,
    )

    close("stable-baselines3 RolloutBuffer", found.advantages, buffer.advantages)
    close("stable-baselines3 RolloutBuffer", found.returns, buffer.returns)


def test_entropy_and_kl_of_distributions(close):
    rng = np.random.default_rng(0)
    p, q = rng.normal(size=(2, 6, 9))
    a, b = dist.Categorical(logits=t(p)), dist.Categorical(logits=t(q))
    close("torch.distributions", metrics.entropy_from_logits(p), a.entropy().mean())
    close("torch.distributions", metrics.kl_categorical(p, q), dist.kl_divergence(a, b).mean())
    m1, m2 = rng.normal(size=(2, 6, 3))
    s1, s2 = rng.uniform(0.2, 2.0, size=(2, 6, 3))
    a, b = dist.Normal(t(m1), t(s1)), dist.Normal(t(m2), t(s2))
    close("torch.distributions", metrics.entropy_gaussian(s1), a.entropy().sum(-1).mean())
    close(
        "torch.distributions",
        metrics.kl_gaussian(m1, s1, m2, s2),
        dist.kl_divergence(a, b).sum(-1).mean(),
    )


def test_losses_of_torch(close):
    rng = np.random.default_rng(1)
    z, labels = rng.normal(size=(4, 7, 11)), rng.integers(0, 11, size=(4, 7))
    labels[1, 3:] = -100
    want = F.cross_entropy(t(z).reshape(-1, 11), t(labels).reshape(-1), ignore_index=-100)
    close("torch cross_entropy", metrics.cross_entropy(z, labels), want)
    c, r, rc, rr = -rng.exponential(20.0, size=(4, 12))
    h = 0.1 * ((c - rc) - (r - rr))
    for smoothing in (0.0, 0.1, 0.3):
        want = F.binary_cross_entropy_with_logits(
            t(h), torch.full((12,), 1.0 - smoothing, dtype=torch.float64)
        )
        found = metrics.dpo(c, r, rc, rr, beta=0.1, label_smoothing=smoothing)
        close("torch binary_cross_entropy (DPO)", found["preference/loss"], want)
    want = F.binary_cross_entropy_with_logits(t(c - r), torch.ones(12).double())
    close("torch binary_cross_entropy (reward model)", metrics.bradley_terry_loss(c, r), want)


def test_norms_of_torch(close):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Tanh(), torch.nn.Linear(7, 2))
    model.double()
    model(torch.randn(9, 5).double()).square().sum().backward()
    spare = torch.nn.Parameter(torch.ones(3))

    found = metrics.grad_norm([*model.parameters(), spare])

    want = torch.nn.utils.clip_grad_norm_(model.parameters(), 1e9)
    close("torch clip_grad_norm_", found, want)
    want = torch.nn.utils.get_total_norm(list(model.parameters()))
    close("torch get_total_norm", metrics.global_norm(model.parameters()), want)


@pytest.mark.parametrize("bins", [5, 10])
def test_calibration(close, bins):
    calibration = pytest.importorskip("sklearn.calibration", reason="needs scikit-learn")
    rng = np.random.default_rng(2)
    c, r = rng.normal(size=(2, 5000))
    p = 1 / (1 + np.exp(-(c - r)))
    confidence, hit = np.maximum(p, 1 - p), p > 0.5
    edges = 2 * confidence - 1  # spread 0.5..1 over 0..1, where scikit-learn cuts its bins
    truth, _ = calibration.calibration_curve(hit, edges, n_bins=bins)
    place = np.minimum((edges * bins).astype(int), bins - 1)
    filled = [i for i in range(bins) if (place == i).any()]
    weights = np.array([(place == i).mean() for i in filled])
    means = np.array([confidence[place == i].mean() for i in filled])

    found = metrics.calibration_error(c, r, bins=bins)

    close("scikit-learn calibration_curve", found, float(weights @ np.abs(truth - means)))


def test_accuracy_of_sklearn(close):
    sklearn = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")
    rng = np.random.default_rng(3)
    z, labels = rng.normal(size=(50, 4)), rng.integers(0, 4, 50)

    close(
        "scikit-learn accuracy_score",
        metrics.token_accuracy(z, labels),
        sklearn.accuracy_score(labels, z.argmax(1)),
    )
    close(
        "scikit-learn log_loss",
        metrics.cross_entropy(z, labels),
        sklearn.log_loss(labels, torch.softmax(t(z), -1).numpy(), labels=range(4)),
    )


def test_aggregates_of_rliable(close):
    rliable = pytest.importorskip("rliable.metrics", reason="needs rliable")
    scores = np.random.default_rng(4).normal(size=(20, 6))

    close("rliable aggregate_mean", metrics.mean_at_n(scores), rliable.aggregate_mean(scores))
    per_task = scores.mean(axis=0)
    close(
        "rliable aggregate_median",
        metrics.percentile(per_task, 50),
        rliable.aggregate_median(scores),
    )


def test_ema_of_pandas(close):
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    x = np.random.default_rng(5).normal(size=40)
    for debias in (True, False):
        ema = metrics.Ema(decay=0.9, debias=debias)
        found = [ema.update(v) for v in x]
        want = pandas.Series(x).ewm(alpha=0.1, adjust=debias).mean().to_numpy()
        close("pandas ewm", found, want)


def test_shapes_of_scipy(close):
    stats = pytest.importorskip("scipy.stats", reason="needs scipy")
    x = np.random.default_rng(6).gamma(2.0, size=(300,))
    found = metrics.describe(x)

    close("scipy.stats skew, kurtosis", found["skew"], stats.skew(x))
    close("scipy.stats skew, kurtosis", found["kurtosis"], stats.kurtosis(x))
