"""How long a standstill is excused by what is still to come."""

import numpy as np
import pytest

from runvitals.rules.patient import Patient
from runvitals.testing import make_run


@pytest.mark.parametrize(("planned", "word"), [(200, "not learning"), (2_000, "too early to tell")])
def test_a_warm_up_is_waited_for_only_while_there_is_something_to_come(planned, word):
    rng = np.random.default_rng(0)
    series = {
        "optim/loss": 3.7 + 0.003 * rng.standard_normal(20),
        "optim/learning_rate": np.linspace(1e-9, 2e-8, 20),
    }
    run = make_run(series, every=10, algorithm="SFT", config={"max_steps": planned})

    told = Patient(run).health

    assert told.word == word
    assert "risen" not in told.reason
