"""Small changes of an outcome that the updates of the policy are no cause of."""

import numpy as np

from runvitals.rules.patient import Patient
from runvitals.testing import make_run

WANDERS = 220.0 + 8.0 * np.sin(np.arange(60) / 9.0) + np.linspace(0, 20, 60)
EPOCHS = {"n_epochs": 10}


def test_a_large_rise_counts_whatever_the_kl_says():
    series = {"outcome/return_mean": np.linspace(20, 400, 60), "policy/approx_kl": [1e-7] * 60}
    run = make_run(series, every=1024, algorithm="PPO", config=EPOCHS)

    assert Patient(run).health.good


def pairs(margin, **options):
    rows = len(margin)
    rng = np.random.default_rng(1)
    series = {
        "preference/margin": margin,
        "preference/loss": np.log(2.0) - margin / 2,
        "preference/accuracy": 0.9 + 0.03 * rng.standard_normal(rows),
    }
    return Patient(make_run(series, algorithm="DPO", **options)).health
