"""LEN001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rules.held_out import does_badly, does_well, held_back
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import sustained_above

MANY, MOST, ALL = 0.2, 0.5, 0.97  # shares of the responses; all of them are cut on purpose


@rule(
    "LEN001",
    "response-truncation-high",
    severity="warning",
    needs=["length/response_clip_ratio"],
    families=["llm"],
)
def response_truncation_high(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """Many responses are cut off at the length limit.

    ## What it looks for
    `length/response_clip_ratio` above 10 % in 8 of 10 steps up to the end. It is a notice while
    the outcome improves or holds, or below 20 %; else a warning, and critical from 50 % on. A
    share that climbs from below 20 % to above 50 % is a warning even while the training reward
    rises; so is one above 20 % that does not fall while the share of successes, which cannot
    exceed that of the responses that end, has come up to it.

    ## Why it matters
    A truncated response seldom holds its answer, so it is scored as wrong whatever the reasoning
    was worth, and the policy learns from noise. If nothing ever ends, the end token or the
    template is broken.

    ## Usual causes
    1. The limit is too small for this model.
    2. End token or chat template is wrong, so that nothing ends.
    3. Length is rewarded (LEN005).
    4. Responses run into repetition.

    ## What to try
    If nothing ends, fix the template first. Else raise the limit, shape the reward of overlong
    responses, or mask truncated ones in the loss.

    ## When to ignore it
    Responses of a fixed length by design, as in sentiment continuation.

    ## Sources
    Training Metrics Glossary; DAPO (overlong responses); veRL #2738 and #7412; rldoctor (5 and 15
    %).
    """
    ratio = patient.after_warm_up(patient["length/response_clip_ratio"])
    bound = patient.limit(limit, otherwise=0.1, why="usual for responses")
    if len(ratio) < 10 or float(ratio.values.max()) > 1.001:
        return
    stretches = sustained_above(ratio.values, bound.value)
    if not stretches or stretches[-1].last < len(ratio) - max(4, len(ratio) // 10):
        return
    stretch = stretches[-1]
    late = float(np.median(ratio.values[-max(5, len(ratio) // 5) :]))
    early = float(np.median(patient["length/response_clip_ratio"].values[:5]))
    ended = patient.find("length/response_terminated_mean")
    tail = ended.values[-max(5, len(ended) // 5) :] if ended is not None else np.ones(1)
    never_ends = late >= 0.999 or not tail.any()
    cap = patient.number("max_response_length")
    yield Hit(
        series=ratio.name,
        span=stretch.span(ratio),
        message=f"{late:.0%} of the responses are cut off"
        + (f" at {cap:g} tokens" if cap else " at the length limit")
        + (", and none ends by itself" if never_ends else ""),
        advice="check the end token and the chat template of one response"
        if never_ends
        else "raise the length limit, or mask truncated responses in the loss",
        severity=_severity(patient, late, early, asked=bound.from_run),
        causes=(
            ("end token or chat template wrong", "length limit too small")
            if never_ends
            else ("length limit too small for this model", "length is rewarded", "repetition")
        ),
        limit=bound,
    )


def _severity(patient: Patient, late: float, early: float, *, asked: bool) -> Severity:
    outcome = patient.outcome
    if not does_badly(patient) and patient.state in ("unknown", "warming"):
        return "warning" if asked else "notice"
    if does_well(patient):
        if late < ALL and held_back(patient, late, early):
            return "warning"
        climbed = late >= MOST and early < MANY and outcome is not None and not outcome.held_out
        return "warning" if climbed or asked else "notice"
    if late >= MOST:
        return "critical"
    return "warning" if late >= MANY or asked else "notice"
