"""The questions that a rule can declare, so that it only has to say in words what was found.

    @rule("VAL005", "value-clip-high", when=is_above("value/clip_fraction", to_end=True))
    def value_clip_high(found: Detection) -> Hit:

Each names a metric, or several (`a|b`: the first that was logged), and its limit: a number, or the end
of the catalog's range. The limit is an option of the rule. The function is given where the question
holds, and the patient too if it takes a second argument; it may still return None.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from runvitals.model import Limit
from runvitals.rules.detectors import FOR_SHARE, Detection, above, below
from runvitals.rules.patient import Patient


@dataclass(frozen=True)
class Question:
    """What is asked of a metric, and the option that sets its limit."""

    metric: str
    ask: Callable[[Patient, Any], Detection | None]
    option: str = ""  # empty: there is nothing to set
    usual: float | None = None  # value of the option; None: the catalog's

    def then(self, say: Callable[..., Any]) -> Callable[..., Any]:
        """A rule that asks this, and says with a function what was found."""
        given = inspect.signature(say).parameters.values()
        places = sum(one.kind is one.POSITIONAL_OR_KEYWORD for one in given)
        options = [one for one in given if one.kind is one.KEYWORD_ONLY]
        if self.option:
            kind = inspect.Parameter.KEYWORD_ONLY
            options.append(
                inspect.Parameter(self.option, kind, default=self.usual, annotation=float)
            )

        @wraps(say)
        def check(patient: Patient, **chosen: Any) -> Any:
            found = self.ask(patient, chosen.pop(self.option, self.usual))
            return found and say(*(found, patient)[:places], **chosen)

        check.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        return check


def is_above(
    metric: str, limit: float | None = None, *, for_share: float = FOR_SHARE, to_end: bool = False
) -> Question:
    """Its level is above a limit, or the catalog's range, for this share of the run."""

    def ask(patient: Patient, value: float | None) -> Detection | None:
        usual = None if limit is None else Limit(value or 0.0, "usual")
        bound = usual or patient.band(metric, option=value)
        return above(patient[metric], bound, for_share=for_share, to_end=to_end)

    return Question(metric, ask, "limit", limit)


def is_below(
    metric: str,
    limit: float,
    why: str = "usual",
    *,
    option: str = "limit",
    for_share: float = FOR_SHARE,
    to_end: bool = False,
) -> Question:
    """Its level is below a limit for this share of the run."""

    def ask(patient: Patient, value: float | None) -> Detection | None:
        bound = Limit(value or 0.0, why)
        return below(patient[metric], bound, for_share=for_share, to_end=to_end)

    return Question(metric, ask, option, limit)
