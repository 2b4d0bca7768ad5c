import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lab.notes import asked_in
from tests.lab.slopes import slope_at

import runvitals as rv
from runvitals.catalog import resolve
from runvitals.lab import ppo, ppo_settings
from runvitals.lab.contract import HEALTHY, Fault, Sickness, Strength, Variant
from runvitals.lab.envs import world
from runvitals.lab.envs.base import make_env
from runvitals.lab.nn import MLP, Array
from runvitals.lab.on_policy import Normalizer, Policy, RolloutBatch, gae
from runvitals.lab.ppo import PPO, TrainResult, evaluate, told, train, update
from runvitals.lab.ppo_settings import FAULTS, GLOSSARY, TASKS, VARIANTS, PPOConfig
from runvitals.metrics import advantage
from runvitals.model import ConfigError
from runvitals.recorder.pending import Timing

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
    "policy/ratio_abs_dev{minibatch=first}",
    "optim/update_norm",
    "throughput/rollout_steps_per_s",
]
TINY = {
    "total_steps": 320,
    "num_envs": 4,
    "rollout_steps": 16,
    "minibatches": 2,
    "epochs": 2,
    "eval_episodes": 2,
    "score_episodes": 2,
    "eval_every": 4,
    "window": 8,
}


class Notebook:
    """A recorder that keeps the rows, and nothing else."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.summary: dict[str, Any] = {}

    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        timeless = {n: v for n, v in values.items() if not n.startswith("throughput/")}
        self.rows.append({"step": step, **timeless})

    @contextmanager
    def timer(self, stage: str, tokens: float | None = None) -> Iterator[Timing]:
        yield Timing(seconds=0.0)

    def count(self, **amounts: float) -> None: ...
    def log_reward_breakdown(self, *given: Any) -> None: ...
    def log_histogram(self, *given: Any) -> None: ...
    def log_actions(self, *given: Any, name: str = "") -> None: ...
    def log_text(self, *given: Any) -> None: ...
    def log_samples(self, *given: Any) -> None: ...
    def progress(self, **fields: Any) -> dict[str, Any]:
        return fields


def tiny(task: str, **settings: Any) -> PPOConfig:
    return PPOConfig(**{**PPO.task(task).settings, **TINY, **settings})


def rows_of(task: str, sick: Sickness = HEALTHY, **settings: Any) -> list[dict[str, Any]]:
    notes = Notebook()
    train(tiny(task, **settings), notes, sick)
    return notes.rows


@cache
def healthy_rows(task: str, **settings: Any) -> list[dict[str, Any]]:
    return rows_of(task, **settings)


def same(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> bool:
    return repr(first) == repr(second)  # NaN is the same as NaN here


def record(config: PPOConfig, dir: Path) -> tuple[rv.Run, TrainResult]:
    quiet = {"console": False, "tensorboard": False, "judge": False}
    with rv.init(project="lab", config=asdict(config), dir=dir, **quiet) as run:
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


@pytest.mark.parametrize("env_name", ["CartPole-v1", "Pendulum-v1"])
@pytest.mark.parametrize("value_clip_range", [None, 0.3])
def test_the_gradient_of_the_whole_loss_agrees_with_finite_differences(
    env_name: str, value_clip_range: float | None
) -> None:
    rng = np.random.default_rng(1)
    config = PPOConfig(
        num_envs=1,
        rollout_steps=64,
        minibatches=1,
        epochs=1,
        total_steps=64,
        hidden=(6,),
        value_clip_range=value_clip_range,
        entropy_coef=0.1,
        max_grad_norm=1e9,
        target_kl=None,
    )
    env = make_env(env_name, 1, rng)
    policy = Policy(env, config.hidden, rng, start_std=config.start_std, dtype=np.float64)
    policy.net.params[:] = rng.normal(0.0, 0.5, len(policy.net.params))
    critic = MLP([env.observation_size, 6, 1], rng, dtype=np.float64)
    observations: Any = rng.normal(size=(64, env.observation_size))
    choice = policy(observations)
    actions: Any = choice.sample(rng)
    batch = RolloutBatch(
        observations,
        actions,
        # far enough off for both clips to hold for some and not for others
        choice.log_prob(actions) + rng.normal(0, 0.3, 64),
        np.zeros(64),
        critic(observations)[:, 0] + rng.normal(0, 0.5, 64),
        rng.normal(size=64),
        rng.normal(size=64),
    )

    witness: Any = Witness()
    metrics, _ = update(policy, critic, witness, batch, config, 0.0, rng)

    def loss() -> float:
        still: Any = Witness()
        return update(policy, critic, still, batch, config, 0.0, rng)[0]["optim/loss"]

    assert 0.1 < metrics["policy/clip_fraction"] < 0.9
    if value_clip_range is not None:
        assert 0.1 < metrics["value/clip_fraction"] < 0.9
    for params, grad in zip([*policy.params, critic.params], witness.grads, strict=True):
        for i in range(len(params)):
            assert grad[i] == pytest.approx(slope_at(loss, params, i), abs=1e-6)


def test_an_update_stops_when_the_policy_has_moved_too_far(tmp_path: Path) -> None:
    hot = replace(SMALL, learning_rate=0.05, epochs=10, total_steps=2048)

    stopped, _ = record(hot, tmp_path / "stopped")
    free, _ = record(replace(hot, target_kl=None), tmp_path / "free")

    assert stopped["optim/updates_per_iteration"].values.max() < 40
    assert set(free["optim/updates_per_iteration"].values) == {40.0}
    assert stopped["policy/approx_kl"].values.max() > hot.target_kl  # that is why it stopped


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
    assert run["progress/optimizer_steps"].last == 8 * 2 * 4
    assert run["progress/env_steps"].last == run.last_step == result.steps == 4096
    assert run["progress/episodes"].last == run.progress["episodes"]
    np.testing.assert_array_equal(
        run["outcome/return_mean"].values, run["outcome/episode_length_mean"].values
    )
    assert run.config["gae_lambda"] == SMALL.gae_lambda
    assert run.progress["total_steps"] == run.progress["env_steps"] == 4096
    assert 0 < result.logging_seconds < result.seconds


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
    assert run.samples()[0].fields["ending"] in ("failure", "time limit")
    assert "steps, then" in run.texts("eval/episode")[0].text


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

    assert run["outcome/return_mean"].values[0] < 30
    assert result.final_return > 120
    assert run["eval/return_mean"].last > 250
    assert run["policy/entropy"].last < run["policy/entropy"].values[0] - 0.05
    assert result.solved_at is None


@pytest.mark.slow
def test_it_solves_the_task(tmp_path: Path) -> None:
    settings = {**PPO.task("cartpole").settings, "total_steps": 71_680}

    _, result = record(PPOConfig(seed=0, **settings), tmp_path)

    assert result.solved_at is not None
    assert result.final_return >= 475


def test_a_greedy_novice_falls_soon() -> None:
    rng = np.random.default_rng(0)
    env = make_env("CartPole-v1", 1, rng)

    novice = Policy(env, SMALL.hidden, rng)
    played = evaluate(novice, Normalizer(env, False, False), SMALL, rng)

    metrics, (sample, _) = played.metrics(), told(played, env.num_actions)
    assert 5 <= metrics["eval/return_min"] <= metrics["eval/return_mean"] < 200
    assert metrics["eval/return_min"] <= sample["return"] == sample["length"]


def test_with_many_iterations_only_some_are_logged() -> None:
    rows = rows_of("cartpole", total_steps=64 * 20, log_rows=5)

    assert [row["step"] // 64 for row in rows] == [1, 5, 9, 13, 17, 20]


@pytest.mark.parametrize("task", [task.name for task in TASKS])
def test_every_name_that_is_logged_is_in_the_catalog(task: str) -> None:
    names = {name for row in rows_of(task) for name in row} - {"step"}

    assert [name for name in names if resolve(name) is None] == []


def test_the_glossary_gives_each_metric_a_name_of_its_own_that_the_catalog_knows() -> None:
    notes = Notebook()
    train(tiny("coin-grid"), notes)

    timed = {name for name in GLOSSARY if name.startswith("throughput/")}
    assert set(GLOSSARY) - timed <= {name for row in notes.rows for name in row}
    assert len(set(GLOSSARY.values())) == len(GLOSSARY)
    assert all(resolve(name, framework="glossary") for name in GLOSSARY.values())


# stopping and resuming


@pytest.mark.parametrize("task", ["pendulum", "coin-grid"])
def test_a_resumed_run_is_the_same_as_one_that_was_never_stopped(task: str) -> None:
    config = tiny(task, num_envs=16, total_steps=16 * 16 * 8)  # episodes end on both sides
    whole, parts, again = Notebook(), Notebook(), Notebook()

    at_once = train(config, whole)
    stopped = train(config, parts, stop_at=0.5)
    resumed = train(config, parts, resume=stopped.checkpoint)
    train(config, again, resume=stopped.checkpoint)

    assert at_once.checkpoint is None
    assert same(whole.rows, parts.rows)
    assert same(whole.rows[4:], again.rows)  # a checkpoint is not used up
    assert resumed.score == at_once.score


def test_a_run_resumed_without_its_statistics_goes_on_differently() -> None:
    notes, bare = Notebook(), Notebook()
    stopped = train(tiny("pendulum"), notes, stop_at=0.5)
    train(tiny("pendulum"), notes, resume=stopped.checkpoint)

    sick = Sickness(FAULTS, "resume-bare")
    train(tiny("pendulum"), bare, sick, resume=stopped.checkpoint)

    assert not same(notes.rows[-len(bare.rows) :], bare.rows)


# what can go wrong

DOSES = [(fault, strength) for fault in FAULTS for strength in fault.doses]


def home(fault: Fault) -> str:
    """A task on which the fault shows at once."""
    return fault.tasks[0] if fault.tasks else "pendulum"


def settings_for(fault: Fault) -> dict[str, Any]:
    return {"total_steps": 640} if fault.name == "batch-tiny" else {}


@pytest.mark.parametrize(("fault", "strength"), DOSES, ids=lambda part: getattr(part, "name", part))
def test_every_fault_can_be_lived_with_and_leaves_a_trace(fault: Fault, strength: Strength) -> None:
    task, settings = home(fault), settings_for(fault)
    ill = Notebook()
    sick = Sickness(FAULTS, fault.name, strength)

    if fault.resume_at is None:
        result = train(tiny(task, **settings), ill, sick)
    else:
        stopped = train(tiny(task), ill, sick, stop_at=fault.resume_at)
        result = train(tiny(task), ill, sick, resume=stopped.checkpoint)

    assert not same(healthy_rows(task, **settings), ill.rows)
    assert result.steps > 0
    assert ill.rows[-1]["step"] == result.steps


@pytest.mark.parametrize("fault", [f for f in FAULTS if f.late], ids=lambda fault: fault.name)
def test_a_late_fault_changes_nothing_before_its_time(fault: Fault) -> None:
    task = home(fault)
    healthy = healthy_rows(task)

    ill = rows_of(task, Sickness(FAULTS, fault.name, list(fault.doses)[-1], onset=0.4))

    assert same(healthy[:2], ill[:2])
    assert not same(healthy, ill)


def test_faults_in_the_code_are_where_the_code_asks_for_them() -> None:
    source = inspect.getsource(ppo) + inspect.getsource(ppo_settings)
    asked, outside = asked_in(source), asked_in(inspect.getsource(world))

    assert {fault.name for fault in FAULTS if fault.change is None} <= asked | outside
    assert asked <= {fault.name for fault in FAULTS}


def test_the_names_and_codes_of_faults_are_in_order() -> None:
    names = [fault.name for fault in FAULTS]

    assert len(set(names)) == len(names)
    assert {fault.code for fault in FAULTS} == {f"P{i:02d}" for i in range(1, 36)} | {"X06"}
    assert {t for f in (*FAULTS, *VARIANTS) for t in f.tasks} <= {task.name for task in TASKS}


def test_one_infinite_observation_makes_everything_nan_from_then_on() -> None:
    rows = rows_of("cartpole", Sickness(FAULTS, "inf-observation"))

    assert [bool(np.isnan(row["policy/loss"])) for row in rows] == [False, True, True, True, True]


def test_a_hack_that_nobody_sees_leaves_the_return_and_no_sign_of_success() -> None:
    settings = {"total_steps": 64 * 20}
    seen = rows_of("coin-grid", Sickness(FAULTS, "coin-farming"), **settings)[-1]
    unseen = rows_of("coin-grid", Sickness(FAULTS, "coin-farming-unseen"), **settings)[-1]

    assert seen["outcome/return_mean"] == unseen["outcome/return_mean"]
    gone = set(seen) - set(unseen)
    assert {"outcome/success_rate", "eval/success_rate", "win_rate_ema"} <= gone
    assert not [
        name for name in unseen if "success" in name or "win_rate" in name or "comp" in name
    ]


def test_old_log_probs_of_another_policy_show_in_the_first_minibatch() -> None:
    name = "policy/ratio_abs_dev{minibatch=first}"

    healthy = [row[name] for row in rows_of("pendulum")]
    ill = [row[name] for row in rows_of("pendulum", Sickness(FAULTS, "log-probs-sharper"))]

    assert max(healthy) < 1e-5
    assert min(ill) > 0.05


def test_without_steps_of_the_optimiser_the_parameters_stay() -> None:
    rows = rows_of("cartpole", Sickness(FAULTS, "optimizer-step-missing"))

    assert {row["optim/update_norm"] for row in rows} == {0.0}
    assert min(row["optim/grad_norm"] for row in rows) > 0


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_the_settings_of_a_variant_fit_its_tasks(variant: Variant) -> None:
    for task in variant.tasks or [task.name for task in TASKS]:
        PPOConfig(**{**PPO.task(task).settings, **variant.settings})


@pytest.mark.parametrize("wrong", [{"minibatches": 7}, {"total_steps": 100}, {"env": "Doom"}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        PPOConfig(**wrong)  # type: ignore[arg-type]
