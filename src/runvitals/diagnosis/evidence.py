"""What the whole run makes of a finding: the advice that an odd learning rate asks for, and what its
script said to expect."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from runvitals.model import Expectation, Finding
from runvitals.rules.causes import effects_of
from runvitals.rules.learning_rate.used import causes_with_rate, learning_rate, lower_first
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule

ABSURD_RATE = "LR002"  # what an absurd learning rate may explain is in the table of causes


def in_the_light_of_the_rate(finding: Finding, patient: Patient) -> Finding:
    """The finding with an unusual learning rate as its first suspect, if that may have led to it.

    No entropy bonus helps a policy that is thrown about by steps a hundred times too large: where the
    rate is absurd, lowering it comes first; where it is only high, it is named among the causes.
    """
    if finding.code not in effects_of(ABSURD_RATE):
        return finding
    rate = learning_rate(patient)
    if rate is None or not rate.too_high:
        return finding
    causes = causes_with_rate(patient, finding.causes)
    advice = finding.advice
    if rate.level == "absurd" and f"learning rate of {rate.value:g}" not in advice:
        first = lower_first(patient, advice)
        advice = first if "learning rate" in advice or not advice else f"{first}; then {advice}"
    return replace(finding, advice=advice, causes=causes)


def accepted(finding: Finding, expectations: Iterable[Expectation]) -> Finding:
    """The finding, as a notice with its reason if the training script said to expect it."""
    for one in expectations:
        if one.accepts(finding.code, finding.series):
            return replace(
                finding,
                severity="notice",
                accepted=one.reason,
                message=f"{finding.message} (expected here: {one.reason})",
            )
    return finding


def unknown_rules(expectations: Iterable[Expectation], known: Mapping[str, Rule]) -> list[str]:
    """What to say about expectations of rules that do not exist."""
    codes = [one.rule for one in expectations if one.rule is not None]
    return [f"expect(rule={code!r}): there is no such rule" for code in codes if code not in known]
