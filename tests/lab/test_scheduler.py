import inspect
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lab.slopes import slope_at

import runvitals as rv
from runvitals.catalog import resolve
from runvitals.lab import scheduler, scheduler_rollout
from runvitals.lab.contract import HEALTHY, Fault, Sickness
from runvitals.lab.nn import MLP, Adam, Categorical
from runvitals.lab.on_policy import gae
from runvitals.lab.registry import trainer
from runvitals.lab.scheduler import SCHEDULER, Scheduled, train, update
from runvitals.lab.scheduler_faults import FAULTS
from runvitals.lab.scheduler_learner import Rewarder, SchedulerConfig, SchedulerLearner
from runvitals.lab.scheduler_rollout import DecisionBatch
from runvitals.lab.temperature import (
    EntropyRegulator,
    StepRegulator,
    TemperatureController,
    adapted_kl_coef,
)
from runvitals.model import ConfigError
from runvitals.recorder.pending import Timing

TINY = SchedulerConfig(
    chunks=2,
    updates_per_chunk=2,
    num_clusters=8,
    rollout_steps=16,
    minibatches=2,
    eval_requests=60,
    final_requests=60,
    warm_start_rollouts=1,
)
Rows = dict[str, list[float]]

# what the document on monitoring the scheduler names
MUST_WATCH = [
    "approx_kl", "entropy", "clipfrac", "pg_grad_norm", "current_temperature", "balance_penalty",
]  # fmt: skip
CSV_COLUMNS = [
    "approx_kl", "clipfrac", "entropy", "temperature", "action_replica_0", "action_replica_1",
    "action_replica_2", "action_replica_3", "reward", "reward_mean", "absolute_score", "delta_score",
    "balance_penalty", "temp_current_temperature", "temp_qps_pressure_ema",
    "temp_latency_pressure_ema", "temp_is_pulsing", "pg_grad_norm", "current_temperature",
]  # fmt: skip
REAL_SCHEDULER = [
    "pi_loss", "vf_loss", "explained_var", "lr", "entropy_coef", "entropy_emergency_mode",
    "entropy_interventions", "entropy_steps_since_intervention", "reward_std", "reward_min",
    "reward_max", "value_mean", "return_mean", "advantage_std", "buffer_progress",
    "value_estimate", "log_probability", "temp_base_temperature", "throughput", "latency",
    "delta_throughput", "delta_latency", "queue_length", "reward_absolute_score",
    "reward_delta_score", "Reward/Throughput", "Reward/Latency", "Debug/RawReward",
    "Debug/RewardClipped", "kl_coef",
]  # fmt: skip


class Memory:
    """A recorder that keeps the numbers, by name, and forgets how long things took."""

    def __init__(self) -> None:
        self.rows: Rows = {}
        self.notes: dict[str, Any] = {}
        self.summary: dict[str, Any] = {}

    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        for name, value in values.items():
            self.rows.setdefault(name, []).append(float(value))

    def log_reward_breakdown(
        self,
        total: Any,
        parts: Mapping[str, Any],
        penalties: Mapping[str, Any] | None = None,
        step: int | None = None,
    ) -> None:
        self.log({"reward": total, **parts, **(penalties or {})}, step)

    def log_actions(self, counts: Any, step: int | None = None, *, name: str = "replica") -> None:
        self.log({f"action_{name}_{i}": count for i, count in enumerate(counts)}, step)

    @contextmanager
    def timer(self, stage: str, tokens: float | None = None) -> Iterator[Timing]:
        yield Timing()

    def count(self, **amounts: float) -> None: ...

    def log_histogram(self, name: str, values: Any, step: int | None = None) -> None: ...

    def log_text(self, name: str, text: str, step: int | None = None) -> None: ...

    def log_samples(self, samples: Any, step: int | None = None) -> None: ...

    def progress(self, **fields: Any) -> dict[str, Any]:
        self.notes |= fields
        return dict(self.notes)


def recorded(
    config: SchedulerConfig = TINY, sick: Sickness = HEALTHY, **part: Any
) -> tuple[Rows, Scheduled]:
    run = Memory()
    result = train(config, run, sick, **part)
    return run.rows, result


@pytest.fixture(scope="module")
def healthy() -> tuple[Rows, Scheduled]:
    return recorded()


# the reward


def reward_parts(latency: float, **settings: float) -> dict[str, float]:
    rewarder = Rewarder(clusters=1, replicas=4)
    now = replace(TINY, **settings)  # type: ignore[arg-type]
    first = rewarder(now, np.array([0]), np.array([8.0]), np.ones(1))
    assert first["delta_score"][0] == 0.0
    return {
        name: float(part[0])
        for name, part in rewarder(now, np.array([1]), np.array([latency]), np.ones(1)).items()
    }


def test_the_reward_is_what_its_parts_add_up_to() -> None:
    parts = reward_parts(20.0)

    total = parts["absolute_score"] + parts["delta_score"] - parts["balance_penalty"]
    assert parts["reward"] == pytest.approx(total)
    assert parts["absolute_score"] == parts["Reward/Throughput"] + parts["Reward/Latency"]


def test_sooner_is_better_and_a_regression_is_punished() -> None:
    soon, late = reward_parts(2.0), reward_parts(60.0)

    assert soon["absolute_score"] > late["absolute_score"] > 0.0
    assert soon["delta_score"] > 0.0 > late["delta_score"]


def test_too_much_weight_on_regressions_makes_the_reward_negative() -> None:
    parts = reward_parts(60.0, reward_gamma=20.0)

    assert parts["reward"] < 0.0 < parts["absolute_score"]


def test_always_choosing_one_replica_costs_a_penalty() -> None:
    rewarder = Rewarder(clusters=2, replicas=4)
    for turn in range(200):
        actions = np.array([0, turn % 4])
        parts = rewarder(TINY, actions, np.full(2, 5.0), np.ones(2))

    hogging, fair = parts["balance_penalty"]
    assert hogging == pytest.approx(3.0 * TINY.balance_weight, rel=0.01)
    assert fair < 0.01 * hogging


# the controllers


def heat(controller: TemperatureController, reward: float, **pressure: float) -> float:
    usual = {"utilisation": 0.5, "latency": 1.0}
    return controller.update(TINY, reward=reward, **{**usual, **pressure})


def test_pressure_lowers_the_temperature_but_not_below_its_minimum() -> None:
    calm, busy, drowning = (TemperatureController() for _ in range(3))
    for i in range(20):
        heat(calm, i)
        heat(busy, i, utilisation=1.0, latency=2.0)
        heat(drowning, i, utilisation=50.0)

    assert calm.current == TINY.base_temperature
    assert TINY.min_temperature < busy.current < calm.current
    assert drowning.current == TINY.min_temperature


def test_a_pulse_starts_on_stagnation_exceeds_the_maximum_and_ends() -> None:
    now = replace(TINY, base_temperature=1.9, pulse_patience=5, pulse_updates=3, pulse_factor=2.0)
    controller = TemperatureController()
    pulses = []
    for i in range(80):
        reward = 0.01 * min(i, 20)  # rises, then stands still
        controller.update(now, utilisation=0.0, latency=0.0, reward=reward)
        pulses.append(controller.is_pulsing)
        assert (controller.current > now.max_temperature) is controller.is_pulsing

    assert not any(pulses[:20])
    story = "".join("x" if pulsing else "." for pulsing in pulses)
    assert story.lstrip(".").startswith("xxx.....xxx.....xxx")


def test_the_entropy_bonus_rises_below_the_floor_and_falls_back() -> None:
    regulator = EntropyRegulator(coef=0.01)
    limits = {"floor": 0.5, "base": 0.01, "most": 0.2}

    low = [regulator.update(0.3, **limits) for _ in range(20)]
    metrics = regulator.metrics()
    high = [regulator.update(0.9, **limits) for _ in range(60)]

    assert low[0] < low[1]
    assert low[-1] == 0.2
    assert metrics["entropy_emergency_mode"] == 1.0
    assert metrics["entropy_interventions"] == 20.0
    assert high[-1] == pytest.approx(0.01, rel=0.1)
    assert regulator.metrics()["entropy_steps_since_intervention"] == 60.0


def test_the_kl_weight_follows_its_target_within_limits() -> None:
    limits = {"target": 0.02, "least": 0.1, "most": 1.0}

    assert adapted_kl_coef(0.4, 0.05, **limits) == 0.8
    assert adapted_kl_coef(0.4, 0.02, **limits) == 0.4
    assert adapted_kl_coef(0.4, 0.001, **limits) == 0.2
    assert adapted_kl_coef(0.8, 1.0, **limits) == 1.0
    assert adapted_kl_coef(0.1, 0.0, **limits) == 0.1


def test_a_gradient_spike_means_smaller_steps_on_larger_minibatches_for_a_while() -> None:
    now, regulator = SchedulerConfig(), StepRegulator()
    norms = [0.8] * 20 + [45.9] + [0.8] * 20
    scales = []

    for norm in norms:
        regulator.update(now, norm)
        scales.append((regulator.lr_scale(now), regulator.batch_scale(now)))

    assert scales[19] == (1.0, 1)
    assert scales[20 : 20 + now.spike_recovery] == [(0.5, 2)] * now.spike_recovery
    assert scales[20 + now.spike_recovery] == (1.0, 1)
    assert regulator.spikes == 1


def test_spikes_add_up_to_a_limit_and_a_norm_that_stays_is_no_spike() -> None:
    now, regulator = SchedulerConfig(), StepRegulator()

    for _ in range(5):
        regulator.update(now, 45.9)
    hard = regulator.lr_scale(now)
    for _ in range(80):
        regulator.update(now, 45.9)

    assert hard == 0.5**now.spike_levels
    assert regulator.lr_scale(now) == 1.0


def test_no_spike_below_the_clip_and_none_when_switched_off() -> None:
    calm, off = StepRegulator(), StepRegulator()

    assert not any(calm.update(SchedulerConfig(), norm) for norm in [0.1] * 20 + [1.9])
    assert not off.update(SchedulerConfig(grad_spike_factor=0.0), 1e9)


# the update


def test_gae_by_hand() -> None:
    rewards, values = np.array([[1.0], [1.0], [1.0]]), np.array([[1.0], [2.0], [3.0]])

    advantages, returns = gae(rewards, values, np.array([4.0]), gamma=0.5, lam=0.5)

    # errors: 1 + 2/2 - 1 = 1,  1 + 3/2 - 2 = 0.5,  1 + 4/2 - 3 = 0; each passes on a quarter
    assert advantages[:, 0].tolist() == [1.125, 0.5, 0.0]
    assert returns[:, 0].tolist() == [2.125, 2.5, 3.0]


def test_the_policy_gradient_agrees_with_finite_differences() -> None:
    config = replace(
        TINY, epochs=1, minibatches=1, max_grad_norm=1e9, value_coef=0.0, kl_early_stop=False
    )
    learner = SchedulerLearner(config)
    rng = np.random.default_rng(0)
    size, rows = learner.cluster.observation_size, config.batch
    learner.policy = MLP([size, 8, 4], rng, dtype=np.float64)
    learner.optimizer = Adam([learner.policy.params, learner.critic.params])
    learner.kl_coef, learner.entropy.coef, learner.temperature.current = 0.7, 0.3, 1.7
    observations = rng.standard_normal((rows, size))
    old = Categorical(learner.policy(observations) + 0.3 * rng.standard_normal((rows, 4)))
    actions, advantages = old.sample(rng), rng.standard_normal(rows)
    zeros = np.zeros(rows)
    batch = DecisionBatch(observations, actions, old.probs, zeros, advantages, zeros)

    def loss() -> float:
        choice = Categorical(learner.policy(observations) / 1.7)
        ratio = np.exp(choice.log_prob(actions) - old.log_prob(actions))
        scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        gain = np.minimum(ratio * scaled, np.clip(ratio, 0.9, 1.1) * scaled)
        kl = (old.probs * (old.log_probs - choice.log_probs)).sum(axis=1)
        return float((-gain - 0.3 * choice.entropy() + 0.7 * kl).mean())

    update(learner, batch, config, learning_rate=0.0)

    params = learner.policy.params
    for i in rng.choice(len(params), size=12, replace=False):
        slope = slope_at(loss, params, i)
        assert learner.policy.grads[i] == pytest.approx(slope, abs=1e-6)


# whole runs


def test_one_seed_gives_the_same_numbers_bit_for_bit(healthy: tuple[Rows, Scheduled]) -> None:
    rows, result = healthy
    again, same = recorded()

    assert rows == again
    assert result.score == same.score
    assert recorded(replace(TINY, seed=1))[0] != rows


@pytest.mark.parametrize("in_a_file", [False, True])
def test_stopped_and_resumed_gives_the_same_numbers_bit_for_bit(
    tmp_path: Path, in_a_file: bool
) -> None:
    config = replace(TINY, checkpoint_dir=str(tmp_path / "kept") if in_a_file else "")
    whole, result = recorded(config)

    first, stopped = recorded(config, stop_at=0.6)  # in the middle of a chunk
    rest, resumed = recorded(config, resume=stopped.checkpoint)

    assert isinstance(stopped.checkpoint, str) is in_a_file
    assert stopped.steps == 2 * config.batch
    assert resumed.score == result.score
    for name, values in whole.items():
        assert first.get(name, []) + rest.get(name, []) == values, name


def test_a_sick_run_that_is_stopped_goes_on_with_the_same_numbers() -> None:
    sick = Sickness(FAULTS, "stale-state", "gross")  # it remembers what it saw long ago
    whole, _ = recorded(TINY, sick)

    first, stopped = recorded(TINY, Sickness(FAULTS, "stale-state", "gross"), stop_at=0.5)
    rest, _ = recorded(TINY, Sickness(FAULTS, "stale-state", "gross"), resume=stopped.checkpoint)

    for name, values in whole.items():
        assert first.get(name, []) + rest.get(name, []) == values, name


def test_progress_names_chunks_requests_and_a_checkpoint_that_is_there(
    start: Callable[..., rv.LiveRun], tmp_path: Path
) -> None:
    live = start()
    train(replace(TINY, checkpoint_dir=str(tmp_path / "kept")), live, stop_at=0.5)
    live.finish()

    progress = json.loads((live.folder / "training_progress.json").read_text())
    assert progress["completed_chunks"] == 1
    assert progress["requests_done"] == 2 * TINY.batch
    assert np.load(progress["latest_checkpoint"])["update"] == 2


def test_a_checkpoint_without_a_folder_is_said_to_be_in_memory() -> None:
    run = Memory()
    result = train(TINY, run)

    assert run.progress()["latest_checkpoint"] == "in memory"
    assert int(result.checkpoint["update"]) == 4


@pytest.fixture(scope="module")
def a_whole_run() -> tuple[Rows, Scheduled]:
    return recorded(SchedulerConfig(chunks=5))


def test_it_learns_to_beat_taking_turns_and_the_rule_it_started_from(
    a_whole_run: tuple[Rows, Scheduled],
) -> None:
    rows, result = a_whole_run

    assert result.score > 0.6
    assert result.service.latency_mean < 0.4 * result.round_robin.latency_mean
    assert result.service.latency_p95 < result.round_robin.latency_p95
    assert rows["eval/score_mean"][-1] > rows["eval/score_mean"][0]
    assert min(rows["entropy"]) > 0.4
    assert all(0.5 <= t <= 2.0 for t in rows["temperature"])


def test_a_usual_run_stays_in_the_ranges_of_the_monitoring_guide(
    a_whole_run: tuple[Rows, Scheduled],
) -> None:
    rows = {name: np.array(values) for name, values in a_whole_run[0].items()}
    pulsing = rows["temp_is_pulsing"] > 0
    calm = rows["current_temperature"][~pulsing]

    shares = {
        "approx_kl": (rows["approx_kl"] < 0.02).mean(),
        "entropy": (rows["entropy"] > 0.5).mean(),
        "clipfrac": ((rows["clipfrac"] >= 0.1) & (rows["clipfrac"] <= 0.3)).mean(),
        "pg_grad_norm": (rows["pg_grad_norm"] < SchedulerConfig().max_grad_norm).mean(),
        "current_temperature": ((calm >= 0.5) & (calm <= 2.0)).mean(),
        "balance_penalty": (rows["balance_penalty"] < 0.02).mean(),
    }

    assert min(shares.values()) >= 0.8, shares
    assert not rows["grad_spike"].any()


def test_the_trainer_adapts_to_a_gradient_spike_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    config = SchedulerConfig(chunks=2, num_clusters=32, minibatches=8, final_requests=60)
    with caplog.at_level(logging.INFO, "runvitals.ppo"):
        rows, _ = recorded(config, Sickness(FAULTS, "reward-scale", onset=0.5))

    planned = [2e-3 * (1 - 0.5 * update / 20) for update in range(20)]
    assert rows["lr"][:11] == pytest.approx(planned[:11])
    assert rows["pg_grad_norm"][10] > 2.0
    assert rows["grad_spike"][10] == 1.0
    assert rows["lr"][11] == pytest.approx(0.5 * planned[11])
    assert rows["minibatch_size"][10:12] == [128.0, 256.0]
    said = [line for line in caplog.messages if "[PPO:adaptive]" in line]
    assert "next_lr_scale=0.5 next_minibatch_size=256" in said[0]
    updates = [line for line in caplog.messages if "[PPO:update]" in line]
    assert "grad_spike=1" in updates[10]
    assert "lr_scale=0.5 minibatch_size=256" in updates[11]


def test_all_that_the_real_scheduler_logs_is_logged_and_known_to_the_catalog(
    healthy: tuple[Rows, Scheduled],
) -> None:
    rows, _ = healthy

    assert not {*MUST_WATCH, *CSV_COLUMNS, *REAL_SCHEDULER} - set(rows)
    assert {name for name in rows if resolve(name, framework="vidur") is None} == set()
    tags = {*SCHEDULER.dialects["vidur-tensorboard"].values()}
    assert {tag for tag in tags if resolve(tag, framework="vidur") is None} == set()


# faults


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_runs_at_every_dose_and_changes_something(
    healthy: tuple[Rows, Scheduled], fault: Fault
) -> None:
    usual = healthy[0]
    for strength in fault.doses:
        sick = Sickness(FAULTS, fault.name, strength)
        if fault.resume_at is None:
            rows, result = recorded(TINY, sick)
        else:
            _, stopped = recorded(TINY, sick, stop_at=fault.resume_at)
            rows, result = recorded(TINY, sick, resume=stopped.checkpoint)
            usual = {name: values[-len(rows["lr"]) :] for name, values in usual.items()}

        assert np.isfinite(result.score)
        assert any(rows[name] != usual[name] for name in usual if name in rows), strength


@pytest.mark.parametrize(
    "fault", [fault for fault in FAULTS if fault.change is None], ids=lambda fault: fault.name
)
def test_a_fault_in_code_is_where_the_bug_would_be(fault: Fault) -> None:
    source = inspect.getsource(scheduler) + inspect.getsource(scheduler_rollout)

    assert f'sick("{fault.name}"' in source


def test_a_late_fault_leaves_the_start_alone(healthy: tuple[Rows, Scheduled]) -> None:
    sick, _ = recorded(TINY, Sickness(FAULTS, "advantage-sign", onset=0.4))

    assert sick["entropy"][:2] == healthy[0]["entropy"][:2]
    assert sick["entropy"][2:] != healthy[0]["entropy"][2:]


def test_the_score_is_taken_on_the_healthy_cluster(healthy: tuple[Rows, Scheduled]) -> None:
    rows, result = recorded(TINY, Sickness(FAULTS, "overload", "gross"))

    assert rows["queue_length"][-1] > 1.5 * healthy[0]["queue_length"][-1]
    assert result.round_robin is healthy[1].round_robin


# settings


def test_the_registry_finds_it_and_its_tasks_and_variants_are_settings() -> None:
    assert trainer("scheduler") is SCHEDULER
    for one in (*SCHEDULER.tasks, *SCHEDULER.variants):
        assert isinstance(SCHEDULER.config(**one.settings), SchedulerConfig)


@pytest.mark.parametrize(
    "settings",
    [{"minibatches": 7}, {"chunks": 0}, {"warm_start": "hope"}, {"eval_requests": 50}],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        replace(TINY, **settings)
