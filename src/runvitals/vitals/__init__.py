"""The vitals of a run: each metric's level now, the range that holds for it here, and whose it is.

Rules, `check`, `watch`, charts and reports take their ranges from here.
"""

from runvitals.vitals.context import RunContext
from runvitals.vitals.ranges import Range, Ranges, range_of, ranges_of
from runvitals.vitals.vital import Vital, vital_of, vitals_of
