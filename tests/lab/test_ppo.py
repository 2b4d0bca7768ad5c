from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.lab.nn import MLP, Array, Categorical
from runvitals.lab.ppo import Batch, PPOConfig, TrainResult, evaluate, gae, train, update
from runvitals.metrics import advantage
from runvitals.model import ConfigError

SMALL = PPOConfig(total_steps=4096, num_envs=8, rollout_steps=64, minibatches=4, epochs=2)

MINIMUM_DASHBOARD = [
    "outcome/success_rate",
    "win_rate_ema",
    "outcome/return_mean",
    "policy/entropy",
    "policy/approx_kl",
    "value/loss",
    "throughput/env_steps_per_s",
    "throughput/updates_per_s",
]
PPO_HEALTH = [
    "outcome/return_std",
    "outcome/return_min",
    "outcome/return_max",
    "outcome/episode_length_mean",
    "reward/mean",
    "reward/std",
    "policy/loss",
    "policy/kl_old",
    "policy/clip_fraction",
    "policy/ratio_mean",
    "policy/ratio_std",
    "policy/ratio_min",
    "policy/ratio_max",
    "policy/grad_norm",
    "policy/clip_range",
    "policy/entropy_coef",
    "value/explained_variance",
    "value/mean",
    "value/var",
    "value/error",
    "returns/mean",
    "returns/var",
    "advantage/mean",
    "advantage/std",
    "advantage/min",
    "advantage/max",
    "optim/loss",
    "optim/grad_norm",
    "optim/learning_rate",
    "eval/return_mean",
    "eval/success_rate",
    "progress/env_steps",
    "progress/optimizer_steps",
    "timing_s/gen",
    "timing_s/adv",
    "timing_s/update",
    "timing_s/eval",
    "action_cartpole_0",
    "action_cartpole_1",
]


def record(config: PPOConfig, dir: Path) -> tuple[rv.Run, TrainResult]:
    with rv.init(
        project="lab", config=asdict(config), dir=dir, console=False, tensorboard=False
    ) as run:
        result = train(config, run)
    return rv.open_run(run.folder), result


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> tuple[rv.Run, TrainResult]:
    return record(SMALL, tmp_path_factory.mktemp("runs"))


# advantages


def worked_gae(*, terminated: bool = False, truncated: bool = False) -> list[float]:
    """Three steps of one environment, in which the episode may end after the second."""
    advantages, _ = gae(
        np.array([[1.0], [1.0], [1.0]]),
        np.array([[1.0], [2.0], [3.0]]),
        np.array([4.0]),
        terminated=np.array([[False], [terminated], [False]]),
        truncated=np.array([[False], [truncated], [False]]),
        final_values=np.array([[0.0], [8.0], [0.0]]),
        gamma=0.5,
        lam=0.5,
    )
    return [float(x) for x in advantages[:, 0]]


def test_gae_by_hand() -> None:
    # errors: 1 + 2/2 - 1 = 1,  1 + 3/2 - 2 = 0.5,  1 + 4/2 - 3 = 0; each passes on a quarter
    assert worked_gae() == [1.125, 0.5, 0.0]


def test_gae_after_a_fall_expects_nothing() -> None:
    # the middle error becomes 1 + 0 - 2 = -1, and nothing comes back from the next episode
    assert worked_gae(terminated=True) == [0.75, -1.0, 0.0]


def test_gae_at_the_step_limit_expects_what_the_critic_says() -> None:
    # the middle error becomes 1 + 8/2 - 2 = 3
    assert worked_gae(truncated=True) == [1.75, 3.0, 0.0]


def test_gae_lets_a_fall_at_the_step_limit_be_a_fall() -> None:
    assert worked_gae(terminated=True, truncated=True) == worked_gae(terminated=True)


def test_gae_agrees_with_the_metric_of_that_name() -> None:
    rng = np.random.default_rng(0)
    rewards, values, final_values = rng.normal(size=(3, 50, 4))
    terminated, truncated = rng.random((2, 50, 4)) < 0.1
    ends = {"terminated": terminated, "truncated": truncated, "final_values": final_values}

    mine = gae(rewards, values, final_values[0], **ends, gamma=0.97, lam=0.9)
    theirs = advantage.gae(rewards, values, final_values[0], **ends, gamma=0.97, lam=0.9)

    np.testing.assert_allclose(mine[0], theirs.advantages, atol=1e-12)
    np.testing.assert_allclose(mine[1], theirs.returns, atol=1e-12)


# the update


class Witness:
    """Stands in for the optimiser: keeps the gradients and moves nothing."""

    def step(self, grads: Sequence[Array], learning_rate: float) -> None:
        self.grads = [grad.copy() for grad in grads]


@pytest.mark.parametrize("value_clip_range", [None, 0.3])
def test_the_gradient_of_the_whole_loss_agrees_with_finite_differences(
    value_clip_range: float | None,
) -> None:
    rng = np.random.default_rng(1)
    config = replace(
        PPOConfig(num_envs=1, rollout_steps=64, minibatches=1, epochs=1, total_steps=64),
        value_clip_range=value_clip_range,
        entropy_coef=0.1,
        max_grad_norm=1e9,
        target_kl=None,
    )
    policy = MLP([4, 6, 2], rng, dtype=np.float64)
    critic = MLP([4, 6, 1], rng, dtype=np.float64)
    observations = rng.normal(size=(64, 4))
    actions = rng.integers(0, 2, 64)
    batch = Batch(
        observations,  # type: ignore[arg-type]
        actions,
        # far enough off for both clips to hold for some and not for others
        Categorical(policy(observations)).log_prob(actions) + rng.normal(0, 0.3, 64),
        critic(observations)[:, 0] + rng.normal(0, 0.5, 64),
        rng.normal(size=64),
        rng.normal(size=64),
    )

    witness = Witness()
    metrics, _ = update(policy, critic, witness, batch, config, 0.0, rng)  # type: ignore[arg-type]

    def loss() -> float:
        return update(policy, critic, Witness(), batch, config, 0.0, rng)[0]["optim/loss"]  # type: ignore[arg-type]

    assert 0.1 < metrics["policy/clip_fraction"] < 0.9
    if value_clip_range is not None:
        assert 0.1 < metrics["value/clip_fraction"] < 0.9
    for net, grad in zip((policy, critic), witness.grads, strict=True):
        for i in range(len(net.params)):
            kept = net.params[i]
            net.params[i] = kept + 1e-6
            above = loss()
            net.params[i] = kept - 1e-6
            below = loss()
            net.params[i] = kept
            assert grad[i] == pytest.approx((above - below) / 2e-6, abs=1e-6)


def test_an_update_stops_when_the_policy_has_moved_too_far(tmp_path: Path) -> None:
    hot = replace(SMALL, learning_rate=0.05, epochs=10, total_steps=2048)

    stopped, _ = record(hot, tmp_path / "stopped")
    free, _ = record(replace(hot, target_kl=None), tmp_path / "free")

    assert stopped["optim/updates_per_iteration"].values.max() < 40
    assert set(free["optim/updates_per_iteration"].values) == {40.0}
    assert free["policy/approx_kl"].values.max() > stopped["policy/approx_kl"].values.max()


def test_value_clipping_is_logged_only_when_it_is_on(
    short: tuple[rv.Run, TrainResult], tmp_path: Path
) -> None:
    clipped, _ = record(replace(SMALL, value_clip_range=0.001), tmp_path)

    assert "value/clip_fraction" not in short[0]
    assert clipped["value/clip_fraction"].values.max() > 0


# the run


@pytest.mark.parametrize("name", [*MINIMUM_DASHBOARD, *PPO_HEALTH])
def test_everything_worth_watching_is_recorded(
    name: str, short: tuple[rv.Run, TrainResult]
) -> None:
    run, _ = short

    assert name in run.names()
    assert len(run[name])
    assert np.isfinite(run[name].values).all()


def test_numbers_that_must_agree_do(short: tuple[rv.Run, TrainResult]) -> None:
    run, result = short

    assert run["policy/entropy"].values[0] == pytest.approx(np.log(2), abs=0.01)
    assert run["optim/learning_rate"].values[0] == SMALL.learning_rate
    assert run["optim/learning_rate"].last == pytest.approx(SMALL.learning_rate / 8)
    assert run["outcome/return_mean"].last == result.final_return
    assert run["progress/optimizer_steps"].last == result.updates == 8 * 2 * 4
    assert run["progress/env_steps"].last == run.last_step == result.env_steps == 4096
    assert run["progress/episodes"].last == result.episodes
    np.testing.assert_array_equal(
        run["outcome/return_mean"].values, run["outcome/episode_length_mean"].values
    )
    assert run.config["gae_lambda"] == SMALL.gae_lambda
    assert run.progress["total_steps"] == run.progress["env_steps"] == 4096
    assert 0 < result.logging_seconds < 0.2 * result.seconds


def test_distributions_and_episodes_are_kept_now_and_then(
    short: tuple[rv.Run, TrainResult],
) -> None:
    run, _ = short

    assert {h.name for h in run.histograms()} >= {
        "advantage/distribution",
        "policy/ratio_distribution",
        "Actions/cartpole_0",
    }
    assert [s.step for s in run.samples()] == [512, 4096]
    assert run.samples()[0].fields["ending"] in ("pole fell", "cart left the track", "time limit")
    assert "degrees" in run.texts("eval/episode")[0].text


def test_one_seed_gives_one_run_and_another_seed_another(
    short: tuple[rv.Run, TrainResult], tmp_path: Path
) -> None:
    first, _ = short
    again, _ = record(SMALL, tmp_path)
    other, _ = record(replace(SMALL, seed=1), tmp_path / "other")

    clocks = ("timing_s/", "throughput/", "System/")
    names = [name for name in first.names() if not name.startswith(clocks)]
    assert len(names) > 40
    for name in names:
        assert first[name].steps.tolist() == again[name].steps.tolist(), name
        np.testing.assert_array_equal(first[name].values, again[name].values, name)
    assert first["policy/loss"].values.tolist() != other["policy/loss"].values.tolist()


def test_it_learns(tmp_path: Path) -> None:
    run, result = record(PPOConfig(total_steps=40_960, anneal_learning_rate=False), tmp_path)

    assert result.first_return < 30
    assert result.final_return > 120
    assert run["eval/return_mean"].last > 250
    assert run["policy/entropy"].last < run["policy/entropy"].values[0] - 0.05
    assert result.solved_at is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_it_solves_the_task(seed: int, tmp_path: Path) -> None:
    _, result = record(PPOConfig(seed=seed), tmp_path)

    assert result.solved_at is not None
    assert result.final_return >= 475
    assert result.seconds < 120


def test_a_greedy_novice_falls_soon() -> None:
    rng = np.random.default_rng(0)

    found = evaluate(MLP([4, 8, 2], rng), SMALL, rng)

    assert 5 <= found.metrics["eval/return_min"] <= found.metrics["eval/return_mean"] < 200
    assert found.metrics["eval/return_min"] <= found.episode["return"] == found.episode["length"]


@pytest.mark.parametrize(
    "wrong",
    [{"minibatches": 7}, {"total_steps": 100}, {"env": "Doom"}],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        PPOConfig(**wrong)  # type: ignore[arg-type]
