import numpy as np
from tests.rules.rew.curves import collapsing, learning, stuck

from runvitals.diagnosis.engine import diagnose
from runvitals.rules.patient import Patient
from runvitals.testing import make_run


def unexplained(series):
    """A run of a loop that no tool is known to write."""
    run = make_run(series, every=10)
    run.bind({})
    return run


def test_a_reward_that_no_tool_explains_is_an_outcome():
    patient = Patient(unexplained({"reward": learning(), "grad": stuck()}))

    assert patient.state == "improving"
    assert patient.outcome.metric == "reward/mean"
    assert diagnose(unexplained({"reward": collapsing()})).verdict.word == "collapsed"


def test_what_a_tool_explains_comes_first():
    run = make_run({"outcome/return_mean": stuck(), "episode_return": learning()}, every=10)

    assert Patient(run).outcome.series.name == "outcome/return_mean"


def test_success_in_percent_is_a_share():
    share = Patient(unexplained({"reward": learning(), "success": 100 * np.linspace(0, 0.8, 80)}))
    count = Patient(unexplained({"reward": learning(), "success": 1000 * np.linspace(0, 0.8, 80)}))

    assert share.find("outcome/success_rate").values.max() <= 1.0
    assert count.find("outcome/success_rate") is None


def test_an_accuracy_without_a_reward_is_none():
    assert Patient(unexplained({"accuracy": np.linspace(0, 1, 80)})).outcome is None


def test_an_earlier_patient_sees_the_same_names():
    patient = Patient(unexplained({"reward": learning()})).earlier(200)

    assert len(patient.find("reward/mean")) == 20
