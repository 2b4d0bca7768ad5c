"""A benchmark or a part of the tasks speaks for the run only where nothing speaks for all of it."""

import numpy as np

from runvitals.model import Binding
from runvitals.rules.patient import Patient
from runvitals.testing import make_run

N = 40
FALLS = np.linspace(4.0, 2.0, N)
PAST_ITS_BEST = np.concatenate([np.linspace(4.0, 3.0, N // 2), np.linspace(3.0, 3.9, N // 2)])
RISES = np.linspace(0.24, 0.28, N) + 0.002 * np.random.default_rng(0).normal(size=N)
BENCHMARK = {"hellaswag_acc": Binding("eval/success_rate", {"of": "hellaswag"})}


def pretrained(**series):
    run = make_run({"loss": FALLS, "hellaswag_acc": RISES, **series}, every=50, algorithm="SFT")
    losses = {name: Binding("eval/loss") for name in series}
    run.bind({"loss": Binding("lm/loss"), **losses, **BENCHMARK})
    return Patient(run).health


def test_a_held_out_loss_comes_before_a_benchmark():
    health = pretrained(val_loss=PAST_ITS_BEST)

    assert health.word == "overfitting", health.reason
    assert "val_loss" in health.reason


def test_a_benchmark_speaks_where_it_is_all_there_is():
    health = pretrained()

    assert health.word == "learning", health.reason
    assert "hellaswag_acc" in health.reason
