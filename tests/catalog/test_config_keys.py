"""Settings become canonical keys, or nothing."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runvitals.catalog import resolve_config

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
