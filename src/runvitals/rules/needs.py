"""What a rule cannot do without: a metric, a histogram, an outcome of any name, expectations.

Rules write it as text, which is also how it is shown:

    needs=["policy/approx_kl"]                       this metric
    needs=["eval/return_mean|eval/success_rate"]     one of these
    needs=["histogram:advantage"]                    logged histograms of this quantity
    needs=["outcome"]                                a return, success rate, score or loss
    needs=["expectations"]                           something said with run.expect(...)
    needs=["siblings"]                               four runs or more with the same settings
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from runvitals.rules.histograms import NEED
from runvitals.rules.patient import Patient

Kind = Literal["logged", "outcome", "expectations", "siblings"]


@dataclass(frozen=True)
class Need:
    """One thing that has to be there before a rule can be run."""

    kind: Kind
    names: tuple[str, ...]  # alternatives as they were written; one is enough

    @classmethod
    def parse(cls, text: str) -> Need:
        """As a rule writes it.

        >>> Need.parse("outcome").kind, Need.parse("rm/loss|rm/accuracy").names
        ('outcome', ('rm/loss', 'rm/accuracy'))
        """
        if text == "outcome":
            return cls("outcome", (text,))
        if text in ("expectations", "siblings"):
            return cls("expectations" if text == "expectations" else "siblings", (text,))
        return cls("logged", tuple(text.split("|")))

    def __str__(self) -> str:
        return "|".join(self.names)

    def missing(self, patient: Patient) -> str | None:
        """Why it is not met; None if it is."""
        if self.kind == "outcome":
            return "no outcome metric was logged" if patient.outcome is None else None
        if self.kind == "expectations":
            said = any(one.rule is None for one in patient.run.expectations)
            return None if said else "the script set no expectations with run.expect(...)"
        if self.kind == "siblings":
            told = patient.run.siblings
            enough = told is not None and len(told.others) >= 4
            return None if enough else "needs 4 runs or more with the same settings"
        if patient.find(*self._metrics) is not None:
            return None
        if any(patient.histograms(quantity) for quantity in self._quantities):
            return None
        return self._not_logged

    @cached_property
    def _metrics(self) -> tuple[str, ...]:
        return tuple(one for one in self.names if not one.startswith(NEED))

    @cached_property
    def _quantities(self) -> tuple[str, ...]:
        return tuple(one.removeprefix(NEED) for one in self.names if one.startswith(NEED))

    @cached_property
    def _not_logged(self) -> str:
        named = [one.replace(NEED, "histograms of ") for one in self.names]
        return f"{' or '.join(named)} not logged"
