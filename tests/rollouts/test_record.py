from math import isnan

import pytest

from runvitals.model import Sample
from runvitals.rollouts.record import is_rollout, rollout_of


@pytest.mark.parametrize(
    "fields",
    [
        {"prompt": "2+2?", "completion": "4", "reward": 1.0},
        {"input": "2+2?", "output": "4", "score": 1.0, "gts": "4"},
        {"question": "2+2?", "response": "4", "total_reward": 1.0},
        {
            "Prompt": "2+2?",
            "Completion": "4",
            "accuracy_func": 0.7,
            "format_func": 0.3,
            "advantage": 0.1,
        },
        {
            "prompt": [{"role": "user", "content": "2+2?"}],
            "completion": [{"role": "assistant", "content": "4"}],
            "reward": 1.0,
        },
    ],
    ids=["TRL's and ours", "veRL", "others", "a column per reward function", "messages"],
)
def test_the_names_of_every_tool_are_read(fields):
    one = rollout_of(Sample(7, 0.0, fields))

    assert (one.step, one.prompt, one.completion, one.reward) == (7, "2+2?", "4", 1.0)


def test_a_sample_without_text_is_not_a_rollout():
    assert rollout_of(Sample(1, 0.0, {"image": 3, "reward": 1.0})) is None


def test_what_nobody_tells_is_unknown():
    one = rollout_of(Sample(1, 0.0, {"prompt": "a", "completion": "b"}))

    assert isnan(one.reward)
    assert isnan(one.tokens)
    assert one.cut is None
    assert one.rank is None


@pytest.mark.parametrize(
    ("fields", "cut"),
    [
        ({"finish_reason": "length"}, True),
        ({"finish_reason": "stop"}, False),
        ({"truncated": 1}, True),
    ],
)
def test_why_it_ended_is_read(fields, cut):
    assert rollout_of(Sample(1, 0.0, {"completion": "b", **fields})).cut is cut


def test_pairs_of_preference_data_are_not_rollouts():
    assert is_rollout(["prompt", "completion"])
    assert not is_rollout(["prompt", "chosen", "rejected", "response"])
