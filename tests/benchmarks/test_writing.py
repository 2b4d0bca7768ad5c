"""The trainer that learns how to write."""

import pytest
from benchmarks.lab.writing import FAULTS, train

import runvitals as rv


@pytest.mark.parametrize("name", ["garbage pays", "tool calls pay", "contaminated evaluation"])
def test_a_reward_that_pays_for_the_wrong_thing_is_named_first(name):
    said = rv.judge(train(FAULTS[name], 0))

    assert said.alarms[0].code in FAULTS[name].rules


def test_the_same_seed_gives_the_same_texts():
    one, two = (train(FAULTS["healthy"], 3).samples() for _ in range(2))

    assert one == two
