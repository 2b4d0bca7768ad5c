"""How runs like a run did: what a log alone cannot show."""

from __future__ import annotations

from dataclasses import dataclass

from runvitals.model.row import FloatArray


@dataclass(frozen=True)
class OutcomeCurve:
    """An outcome as a few means over steps."""

    steps: FloatArray
    values: FloatArray


@dataclass(frozen=True)
class SiblingCurves:
    """The outcome of a run beside that of its siblings, which have all settings but seeds in common.

    `differs` says which setting the run alone has another value of, with both values; it is empty if
    only seeds differ.
    """

    series: str
    lower_is_better: bool
    own: OutcomeCurve
    others: tuple[OutcomeCurve, ...]
    differs: str = ""
