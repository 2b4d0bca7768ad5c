import copy

import numpy as np
import pytest
from tests.lab.slopes import slopes

from runvitals.lab.nn import (
    MLP,
    Adam,
    Array,
    Categorical,
    Gaussian,
    RunningNorm,
    SquashedGaussian,
    clip_norm,
    norm,
    orthogonal,
)


@pytest.mark.parametrize("sizes", [[3, 2], [3, 5, 2], [4, 6, 5, 3]])
def test_the_network_gradient_agrees_with_finite_differences(sizes: list[int]) -> None:
    rng = np.random.default_rng(0)
    net = MLP(sizes, rng, dtype=np.float64)
    net.params[:] = rng.normal(size=net.params.shape)
    x = rng.normal(size=(7, sizes[0]))
    weights = rng.normal(size=(7, sizes[-1]))

    grad_x = net.backward(net.forward(x), weights)

    def loss() -> float:
        return float((weights * net(x)).sum())

    np.testing.assert_allclose(net.grads, slopes(loss, net.params), atol=1e-7)
    np.testing.assert_allclose(grad_x, slopes(loss, x), atol=1e-7)


def test_layers_are_views_of_the_flat_parameters() -> None:
    net = MLP([2, 3, 1], np.random.default_rng(0))

    net.params[:] = 0.0

    assert net.params.dtype == np.float32
    assert not net(np.ones((4, 2), np.float32)).any()


def test_a_large_batch_gives_what_its_rows_give() -> None:
    net = MLP([3, 1024, 2], np.random.default_rng(0), dtype=np.float64)
    x = np.random.default_rng(1).normal(size=(300, 3))

    assert net.rows_at_once == 85
    np.testing.assert_allclose(net(x), net.forward(x)[-1], rtol=1e-12)


@pytest.mark.parametrize("shape", [(4, 4), (4, 64), (64, 2)])
def test_orthogonal_matrices_have_orthogonal_rows_or_columns(shape: tuple[int, int]) -> None:
    weight = orthogonal(np.random.default_rng(1), *shape, gain=2.0)

    gram = weight.T @ weight if shape[0] >= shape[1] else weight @ weight.T
    assert weight.shape == shape
    np.testing.assert_allclose(gram, 4.0 * np.eye(min(shape)), atol=1e-12)


def test_categorical_gradients_agree_with_finite_differences() -> None:
    rng = np.random.default_rng(2)
    logits = rng.normal(size=(6, 4))
    actions = rng.integers(0, 4, 6)
    weights = rng.normal(size=6)

    choice = Categorical(logits)

    np.testing.assert_allclose(
        choice.log_prob_grad(actions, weights),
        slopes(lambda: float((weights * Categorical(logits).log_prob(actions)).sum()), logits),
        atol=1e-8,
    )
    np.testing.assert_allclose(
        choice.entropy_grad(0.3),
        slopes(lambda: 0.3 * float(Categorical(logits).entropy().sum()), logits),
        atol=1e-8,
    )


def test_categorical_samples_as_often_as_it_says() -> None:
    probs = np.array([0.1, 0.6, 0.3])
    rng = np.random.default_rng(3)

    choice = Categorical(np.tile(np.log(probs), (100_000, 1)))
    drawn = choice.sample(rng)

    np.testing.assert_allclose(np.bincount(drawn, minlength=3) / 100_000, probs, atol=0.01)
    assert set(choice.mode()) == {1}
    assert choice.entropy()[0] == pytest.approx(-(probs * np.log(probs)).sum())


def test_categorical_survives_huge_logits() -> None:
    choice = Categorical(np.array([[1e4, -1e4]], np.float32))

    assert choice.probs.tolist() == [[1.0, 0.0]]
    assert choice.entropy().tolist() == [0.0]
    assert choice.sample(np.random.default_rng(0)).tolist() == [0]


def test_gaussian_gradients_agree_with_finite_differences() -> None:
    rng = np.random.default_rng(4)
    mean, log_std = rng.normal(size=(5, 2)), rng.normal(size=2)
    actions, weights = rng.normal(size=(5, 2)), rng.normal(size=5)

    normal = Gaussian(mean, log_std)
    at_mean, at_log_std = normal.log_prob_grad(actions, weights)

    def log_prob() -> float:
        return float((weights * Gaussian(mean, log_std).log_prob(actions)).sum())

    np.testing.assert_allclose(at_mean, slopes(log_prob, mean), atol=1e-7)
    np.testing.assert_allclose(at_log_std, slopes(log_prob, log_std), atol=1e-7)
    for grad, at in zip(normal.entropy_grad(0.3), (mean, log_std), strict=True):
        found = slopes(lambda: 0.3 * float(Gaussian(mean, log_std).entropy().sum()), at)
        np.testing.assert_allclose(grad, found, atol=1e-8)


def test_gaussian_samples_with_its_mean_and_spread() -> None:
    normal = Gaussian(np.full((100_000, 1), 2.0), np.log(np.array([0.5])))

    drawn = normal.sample(np.random.default_rng(5))

    assert drawn.mean() == pytest.approx(2.0, abs=0.01)
    assert drawn.std() == pytest.approx(0.5, abs=0.01)
    assert normal.entropy()[0] == pytest.approx(-normal.log_prob(drawn).mean(), abs=0.01)


def test_adam_takes_the_published_steps() -> None:
    params = np.array([1.0, -1.0])
    adam = Adam([params], eps=0.0)

    adam.step([np.array([0.5, -4.0])], learning_rate=0.1)
    after_one = params.copy()
    adam.step([np.array([0.0, -4.0])], learning_rate=0.1)

    np.testing.assert_allclose(after_one, [0.9, -0.9])  # the first step is as long as the rate
    mean = (0.9 * 0.1 * 0.5) / (1 - 0.9**2)
    square = (0.999 * 0.001 * 0.25) / (1 - 0.999**2)
    np.testing.assert_allclose(params, [0.9 - 0.1 * mean / np.sqrt(square), -0.8])


def test_adam_finds_the_bottom_of_a_bowl() -> None:
    params = np.array([3.0, -2.0])
    adam = Adam([params])

    for _ in range(2000):
        adam.step([params * np.array([1.0, 100.0])], learning_rate=0.01)

    np.testing.assert_allclose(params, 0.0, atol=1e-3)


def test_clipping_shrinks_long_gradients_together_and_leaves_short_ones() -> None:
    long, short = [np.array([3.0]), np.array([0.0, 4.0])], [np.array([0.3])]

    assert clip_norm(long, 1.0) == pytest.approx(5.0)
    assert clip_norm(short, 1.0) == pytest.approx(0.3)
    assert norm(long) == pytest.approx(1.0)
    assert short[0].tolist() == [0.3]


def test_adam_goes_on_from_a_kept_state_as_if_never_stopped() -> None:
    rng = np.random.default_rng(7)
    grads = [[rng.normal(size=3)] for _ in range(6)]
    whole, halves = np.ones(3), np.ones(3)
    adam, first = Adam([whole]), Adam([halves])

    for grad in grads:
        adam.step(grad, learning_rate=0.1)
    for grad in grads[:3]:
        first.step(grad, learning_rate=0.1)
    halves, second = copy.deepcopy((halves, first))
    for grad in grads[3:]:
        second.step(grad, learning_rate=0.1)

    assert halves.tolist() == whole.tolist()


def test_running_statistics_are_those_of_all_rows() -> None:
    rows = np.random.default_rng(8).normal(5.0, 3.0, size=(100, 2))
    running = RunningNorm(2)

    for part in np.split(rows, [1, 10, 60]):
        running.update(part)

    np.testing.assert_allclose(running.mean, rows.mean(axis=0))
    np.testing.assert_allclose(running.var, rows.var(axis=0))
    np.testing.assert_allclose(running(rows).std(axis=0), 1.0, rtol=1e-6)
    assert running(np.array([[1e9, -1e9]])).tolist() == [[10.0, -10.0]]


def test_before_any_rows_nothing_is_rescaled() -> None:
    row = np.array([[0.5, -2.0]], np.float32)

    np.testing.assert_allclose(RunningNorm(2)(row), row, rtol=1e-6)
    assert RunningNorm(2)(row).dtype == np.float32


class Repeated(np.random.Generator):
    """A generator that draws the same noise again and again."""

    def __init__(self, noise: Array) -> None:
        super().__init__(np.random.PCG64(0))
        self.noise = noise

    def standard_normal(self, *_: object, **__: object) -> Array:  # type: ignore[override]
        return self.noise


def test_the_gradients_of_squashed_actions_agree_with_finite_differences() -> None:
    rng = np.random.default_rng(9)
    mean, log_std = rng.normal(size=(5, 2)), rng.normal(size=(5, 2)) - 0.5
    action_weights, log_prob_weights = rng.normal(size=(5, 2)), rng.normal(size=5)
    same_noise = Repeated(rng.normal(size=(5, 2)))

    def loss() -> float:
        actions, log_probs = SquashedGaussian(mean, log_std).draw(same_noise)
        return float((action_weights * actions).sum() + (log_prob_weights * log_probs).sum())

    choice = SquashedGaussian(mean, log_std)
    choice.draw(same_noise)
    mean_grad, log_std_grad = choice.backward(action_weights, log_prob_weights)

    np.testing.assert_allclose(mean_grad, slopes(loss, mean), atol=1e-6)
    np.testing.assert_allclose(log_std_grad, slopes(loss, log_std), atol=1e-6)


def test_densities_of_squashed_actions_make_one_in_all_and_stay_finite_at_the_edge() -> None:
    mean, log_std = np.full((200_000, 1), 0.3), np.full((200_000, 1), -0.2)
    rng = np.random.default_rng(10)

    actions, log_probs = SquashedGaussian(mean, log_std).draw(rng)
    _, at_the_edge = SquashedGaussian(mean + 40.0, log_std).draw(rng)

    assert np.abs(actions).max() < 1.0
    inside = np.abs(actions[:, 0]) < 0.9
    total = np.mean(np.exp(-log_probs) * inside)  # importance sampling of the interval's length
    assert total == pytest.approx(1.8, rel=0.02)
    assert np.isfinite(at_the_edge).all()
