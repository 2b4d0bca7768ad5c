"""Held-out losses that leave their best, with and without the accuracy beside them."""

import numpy as np

from runvitals.rules.patient import Patient
from runvitals.testing import make_run

EPOCHS = 20


def health(loss, accuracy, noise=0.003):
    rng = np.random.default_rng(3)
    series = {
        "optim/loss": 0.1 + 2.0 * np.exp(-np.arange(EPOCHS) / 5.0),
        "supervised/accuracy": 0.95 - 0.6 * np.exp(-np.arange(EPOCHS) / 5.0),
        "eval/loss": loss + noise * rng.standard_normal(EPOCHS),
        "eval/supervised/accuracy": accuracy + noise * rng.standard_normal(EPOCHS),
    }
    return Patient(make_run(series)).health


def turning(left):
    """A loss that falls from 2 to 1 by the sixth epoch and then rises by this share."""
    down, up = np.linspace(2.0, 1.0, 6), np.linspace(1.0, 1.0 + left, EPOCHS - 5)
    return np.concatenate([down, up[1:]])


STANDS = np.concatenate([np.linspace(0.4, 0.65, 6), np.full(EPOCHS - 6, 0.65)])
GOES_ON = np.concatenate([np.linspace(0.4, 0.65, 6), np.linspace(0.66, 0.75, EPOCHS - 6)])


def test_it_is_no_harm_while_more_and_more_answers_are_right():
    assert health(turning(0.4), GOES_ON).good


def test_nor_is_a_loss_near_its_best():
    assert health(turning(0.1), STANDS).good
