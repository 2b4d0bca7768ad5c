import pytest
from tests.rules.performance.plant import labelled, noisy
from tests.rules.policy.curves import ODD, learning, stuck

from runvitals.testing import check, make_run

WRONG = [
    ("PPO", {"gamma": 0.0}, "warning", "only the next reward counts"),
    ("PPO", {"gamma": 1.5}, "critical", "gamma is 1.5"),
    ("PPO", {"gae_lambda": 95}, "critical", "gae_lambda is 95"),
    ("PPO", {"learning_rate": "-1e-4"}, "critical", "-0.0001"),
    ("PPO", {"clip_range": -0.2}, "critical", "clip range is -0.2"),
    ("PPO", {"clip_range": 0}, "warning", "every update is clipped"),
    ("RecurrentPPO", {"clip_range": 0}, "warning", "every update is clipped"),
    ("PPO", {"ent_coef": -0.1}, "warning", "penalises exploration"),
    ("PPO", {"target_kl": 1e-5}, "warning", "stops every update"),
    ("GRPO", {"num_generations": 1}, "critical", "group size is 1"),
    ("GRPO", {"num_generations": 2}, "notice", "group size is 2"),
    ("GRPO", {"temperature": 0.0}, "warning", "temperature 0"),
    ("GRPO", {"kl_coef": 2.0}, "warning", "ties the policy to its reference"),
    (
        "GRPO",
        {"warmup_steps": 500, "max_steps": 100},
        "warning",
        "500 steps, but the run has only 100",
    ),
    ("SAC", {"tau": 0}, "critical", "never moves"),
    ("SAC", {"tau": 1.0}, "warning", "copies the network"),
    ("DQN", {"target_update_interval": 1}, "warning", "copied at every step"),
    (
        "DQN",
        {"target_update_interval": 10**9, "total_timesteps": 50_000},
        "warning",
        "every 1,000,000,000 steps",
    ),
    ("DQN", {"learning_starts": 45_000, "total_timesteps": 50_000}, "warning", "45,000 of 50,000"),
    ("DQN", {"learning_starts": 60_000, "total_timesteps": 50_000}, "critical", "60,000"),
    ("DQN", {"buffer_size": 100, "batch_size": 64}, "warning", "holds 100"),
    ("DPO", {"dpo_beta": 0.0}, "critical", "beta is 0"),
    ("SFT", {"warmup_ratio": 3}, "warning", "warmup_ratio is 3"),
]
FINE = [
    ("PPO", {"gamma": 0.99, "gae_lambda": 1.0, "learning_rate": 3e-4, "clip_range": 0.2}),
    ("PPO", {"ent_coef": 0.0, "vf_coef": 0.5, "target_kl": 0.0}),
    ("PPO", {"num_generations": 1, "learning_rate": "constant"}),
    ("GRPO", {"num_generations": 8, "gamma": 1.0, "temperature": 1.0}),
    ("RLOO", {"num_generations": 2}),
    ("REINFORCE++", {"rollout.n": 1}),
    ("GRPO", {"kl_coef": 0.2}),
    ("PPO", {"kl_coef": 5.0}),
    ("SAC", {"tau": 0.005, "ent_coef": "auto", "target_update_interval": 1}),
    ("DQN", {"tau": 1.0, "target_update_interval": 500, "buffer_size": 10_000, "batch_size": 64}),
    ("DQN", {"learning_starts": 1000, "total_timesteps": 50_000}),
    ("SFT", {"gamma": 0.0, "warmup_steps": 10, "max_steps": 100}),
    ("PPO", {"gamma": None, "clip_range": {"a": 1}, "learning_rate": [0.0], "tau": True}),
    ("PPO", {"gamma": "nan", "learning_rate": float("inf"), "clip_range": 10**400}),
    ("PPO", {}),
]


def run(algorithm, config, outcome=None):
    series = {"outcome/return_mean": stuck() if outcome is None else outcome}
    return make_run(series, algorithm=algorithm, config=config)


@pytest.mark.parametrize(("algorithm", "config", "severity", "words"), WRONG)
def test_finds_what_cannot_be_meant(algorithm, config, severity, words):
    [finding] = check(run(algorithm, config), "DATA007")

    assert finding.severity == severity
    assert words in finding.message
    assert finding.advice


@pytest.mark.parametrize(("algorithm", "config"), FINE)
def test_silent_on_what_is_usual(algorithm, config):
    assert check(run(algorithm, config), "DATA007") == []


@pytest.mark.parametrize(("target", "found"), [(1.0, ["DATA007"]), (-1.0, [])])
def test_a_target_entropy_that_real_valued_actions_cannot_reach(target, found):
    series = {"outcome/return_mean": learning(), "policy/action_std": noisy(0.5, 80)}
    seen = make_run(series, algorithm="SAC", config={"target_entropy": target})

    assert [finding.code for finding in check(seen, "DATA007")] == found


def test_what_works_was_meant():
    [finding] = check(run("PPO", {"gamma": 0.0}, learning()), "DATA007")

    assert finding.severity == "notice"


def test_a_logged_learning_rate_counts_more_than_the_config():
    series = {"outcome/return_mean": stuck(), "optim/learning_rate": noisy(1e-4, 80)}

    assert check(make_run(series, algorithm="PPO", config={"lr": 0.0}), "DATA007") == []


@pytest.mark.parametrize(("scale", "severity"), [(1.0, None), (1.2, "warning"), (10.0, "warning")])
def test_weights_of_a_rubric_add_up_to_one(scale, severity):
    weights = {"correctness": 0.5, "style": 0.3, "speed": 0.2}
    series = {
        name: ("reward/component_weight", {"component": name}, [scale * weight] * 20)
        for name, weight in weights.items()
    }

    assert [f.severity for f in check(labelled(series), "DATA007")] == [severity] * bool(severity)


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run("PPO", {"gamma": 0.99}, values), "DATA007") == []


@pytest.mark.parametrize(
    "algorithm", ["dqn", "DQN", "dqn_atari", "Double DQN", "deepq", "QRDQN", "c51_jax", "Rainbow"]
)
def test_a_target_network_that_is_copied_as_a_whole_is_usual_without_an_actor(algorithm):
    config = {"tau": 1.0, "target_update_interval": 1000}

    assert check(run(algorithm, config), "DATA007") == []
