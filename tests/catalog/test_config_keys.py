"""Settings become canonical keys, or nothing."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runvitals.catalog import find_config_key, resolve_config

_SPEC = importlib.util.spec_from_file_location("names", Path(__file__).parent / "seed_names.py")
_NAMES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_NAMES)


def keys(config):
    return {canonical: original for canonical, (original, _) in resolve_config(config).items()}


@pytest.mark.parametrize("key", _NAMES.CONFIG_KEYS)
def test_settings_of_the_documents_are_known(key):
    assert len(resolve_config({key: 0.1})) == 1


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"clip_coef": 0.2}, {"clip_range": "clip_coef"}),
        ({"args/cliprange": 0.2}, {"clip_range": "args/cliprange"}),
        ({"algo.eps-clip": 0.2}, {"clip_range": "algo.eps-clip"}),
        ({"actor_rollout_ref.rollout.n": 8}, {"group_size": "actor_rollout_ref.rollout.n"}),
        ({"critic.optim.lr": 1e-5}, {"critic_learning_rate": "critic.optim.lr"}),
        ({"critic.optim.weight_decay": 0.1}, {}),
        ({"actor_rollout_ref.ref.temperature": 1.0}, {}),
        (
            {"beta": 0.04, "num_generations": 8},
            {"kl_coef": "beta", "group_size": "num_generations"},
        ),
        ({"beta": 0.1, "reference_free": False}, {"preference_beta": "beta"}),
        ({"beta": 0.1}, {}),
        (
            {"epsilon": 0.2, "num_generations": 8},
            {"clip_range": "epsilon", "group_size": "num_generations"},
        ),
        ({"epsilon": 0.05, "buffer_size": 1000}, {"buffer_size": "buffer_size"}),
        ({"a.lr": 1e-3, "b.lr": 1e-4}, {}),
        ({"a.lr": 1e-3, "b.lr": 1e-3}, {"learning_rate": "a.lr"}),
        ({"learning_rate": 3e-4, "optimizer.lr": 1e-4}, {"learning_rate": "learning_rate"}),
        ({"learning_rate": None}, {}),
    ],
)
def test_the_end_of_a_key_decides(config, expected):
    assert keys(config) == expected


def test_values_come_along():
    assert resolve_config({"trainer.seed": 7}) == {"seed": ("trainer.seed", 7)}


@given(
    st.dictionaries(
        st.text(max_size=30), st.one_of(st.none(), st.floats(), st.text(), st.lists(st.integers()))
    )
)
def test_no_config_breaks_it(config):
    resolve_config(config)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (
            {"update_epochs": 4, "num_iterations": 976, "clip_coef": 0.2},
            {"epochs_per_batch": "update_epochs", "clip_range": "clip_coef"},
        ),
        (
            {"num_iterations": 2, "num_generations": 8},
            {"epochs_per_batch": "num_iterations", "group_size": "num_generations"},
        ),
        ({"num_iterations": 100}, {}),
        (
            {"max_epochs": 1, "eps_clip": 0.2},
            {"epochs_per_batch": "max_epochs", "clip_range": "eps_clip"},
        ),
        ({"max_epochs": 10}, {"total_epochs": "max_epochs"}),
        ({"num_train_epochs": 3.0, "max_steps": -1}, {"total_epochs": "num_train_epochs"}),
        (
            {"num_train_epochs": 1, "max_steps": 500},
            {"total_epochs": "num_train_epochs", "total_steps": "max_steps"},
        ),
        (
            {"train_batch_size": 128, "rollout_batch_size": 1024, "micro_train_batch_size": 4},
            {
                "batch_size": "train_batch_size",
                "rollout_batch_size": "rollout_batch_size",
                "micro_batch_size": "micro_train_batch_size",
            },
        ),
        ({"kl_target": 0.01, "kl_coeff": 0.2}, {"target_kl": "kl_target", "kl_coef": "kl_coeff"}),
        (
            {"kl_target": 6.0, "init_kl_coef": 0.01},
            {"target_kl_ref": "kl_target", "kl_coef": "init_kl_coef"},
        ),
        ({"kl_target": 0.01}, {}),
        ({"algorithm.kl_ctrl.target_kl": 0.1}, {"target_kl_ref": "algorithm.kl_ctrl.target_kl"}),
        (
            {
                "algorithm.use_kl_in_reward": False,
                "algorithm.kl_ctrl.kl_coef": 0.001,
                "actor.kl_loss_coef": 0.01,
            },
            {"kl_coef": "actor.kl_loss_coef"},
        ),
        (
            {
                "actor.use_kl_loss": False,
                "algorithm.kl_ctrl.kl_coef": 0.001,
                "actor.kl_loss_coef": 0.01,
            },
            {"kl_coef": "algorithm.kl_ctrl.kl_coef"},
        ),
        (
            {"beta": 0.1, "loss_type": "sigmoid", "max_completion_length": 512},
            {"preference_beta": "beta", "max_response_length": "max_completion_length"},
        ),
        (
            {"alpha": 0.2, "autotune": False, "q_lr": 1e-3},
            {"entropy_coef": "alpha", "critic_learning_rate": "q_lr"},
        ),
        ({"alpha": 16, "lora_r": 8}, {}),
        ({"polyak": 0.995}, {}),
        ({"clip_vloss": True}, {}),
        ({"num_env_runners": 2}, {}),
        ({"num_minibatches": 4}, {"num_minibatches": "num_minibatches"}),
        ({"simpo_gamma": 0.5}, {}),
        ({"t_max": 2_050_000, "test_nepisode": 32}, {"total_steps": "t_max"}),
        ({"t_max": 5}, {}),
    ],
)
def test_one_word_of_two_tools_is_told_apart(config, expected):
    assert keys(config) == expected


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("value coefficient", "value_coef"),
        ("random seeds", "seed"),
        ("target_kl", "target_kl"),
        ("lambda", "gae_lambda"),
        ("beta", None),
        ("no such thing", None),
    ],
)
def test_a_setting_is_found_by_its_name(name, key):
    found = find_config_key(name)
    assert (found and found.id) == key
