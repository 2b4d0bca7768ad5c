"""Rules about temperature controllers."""

import numpy as np

from runvitals.model import Series
from runvitals.rules.patient import Patient
from runvitals.signals.pairs import aligned

ACTIVE = 0.5  # of a flag that is 0 or 1
NEAR_BOUND = 1.1  # times a bound: next to it (judgement)
OF_CONTROLLERS = ("min_temperature", "max_temperature", "qps_sensitivity")  # settings


def is_controlled(patient: Patient) -> bool:
    """Whether a controller moves the temperature; that of a language model's sampler it does not."""
    signs = ("control/pressure", "control/pulse_active", "policy/temperature_base")
    return any(patient.find(sign) is not None for sign in signs) or any(
        patient.number(key) is not None for key in OF_CONTROLLERS
    )


def outside_pulses(patient: Patient, temperature: Series) -> Series:
    """The temperature where no pulse is under way."""
    pulse = patient.find("control/pulse_active")
    if pulse is None:
        return temperature
    _, values, active = aligned(temperature, pulse)
    if len(values) != len(temperature):
        return temperature
    return temperature.where(active < ACTIVE)


def pressure(patient: Patient, word: str) -> Series | None:
    """The pressure that varies most, of those with a word in their name."""
    found = [one for one in patient.all("control/pressure") if word in one.name.lower()]
    return max(found, key=lambda s: float(np.ptp(s.values)), default=None)
