"""All that most rules are written with, in one place.

The run under examination, the detectors, the questions that a rule can declare, what a hit is made of,
and how numbers are written in a message.
"""

from runvitals.model import FloatArray, Hit, IntArray, Limit, Quote, Run, Series, Severity, Span
from runvitals.model.formatting import counted, how_often, number, short_number
from runvitals.rules.detectors import (
    SURE,
    Detection,
    above,
    below,
    constant,
    exceeds,
    fell,
    jumped,
    rose,
    size_of,
    spiked,
    stretch,
)
from runvitals.rules.patient import Patient
from runvitals.rules.questions import is_above, is_below
from runvitals.rules.registry import rule
