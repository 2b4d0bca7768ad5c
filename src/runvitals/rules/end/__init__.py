"""How runs end."""

from typing import NamedTuple

from runvitals.model import Hit, Span
from runvitals.model.ending import EndKind, kind_of_ending
from runvitals.rules.patient import Patient

OWN_FORMAT = "runvitals"
ALL_BUT_DONE = 0.98  # of the plan: the last rows may be lost (judgement)
MAX_QUOTE = 240  # characters of what it said


class RunEnd(NamedTuple):
    """The kind of end, and the words or the signal that tell it."""

    kind: EndKind
    said: str
    signal: str | None


def end_of(patient: Patient) -> RunEnd | None:
    """How the run ended; None if it ended well, goes on, was stopped on a finding, or nobody knows."""
    run = patient.run
    if run.status in ("running", "finished") or run.stopped_by is not None:
        return None
    if patient.until is not None and patient.until < patient.whole.last_step:
        return None
    said = str(run.provenance.get("ended_with") or "")
    if not said and run.status == "failed":
        said = f"exit code {run.exit_code}"
    noted = run.provenance.get("ending")
    signal = noted.get("signal") if isinstance(noted, dict) else None
    signal = signal if isinstance(signal, str) else None
    kind = kind_of_ending(said, signal)
    return None if kind is None else RunEnd(kind, said, signal)


def ended(
    patient: Patient,
    *kinds: EndKind,
    what: str,
    advice: str,
    causes: tuple[str, ...],
    also: tuple[str, ...] = (),
    failed: bool = True,
) -> Hit | None:
    """A hit at the last step if the run ended in one of these ways, with the words that tell it.

    A notice where little was lost: all but done, or another tool's log whose outcome is good, or whose
    training did not itself fail.
    """
    end = end_of(patient)
    if end is None or end.kind not in kinds or (name := _series(patient)) is None:
        return None
    excused = patient.run.format != OWN_FORMAT and (patient.health.good or not failed)
    excused = excused or (patient.progress or 0.0) >= ALL_BUT_DONE
    last, planned = patient.last_step, patient.planned_steps
    of = f" of {planned:,}" if planned and planned > last else ""
    quote = " ".join(end.said.split())
    quote = quote if len(quote) <= MAX_QUOTE else f"{quote[:MAX_QUOTE]}..."
    told = f": {quote}" if quote else f" ({end.signal})" if end.signal else ""
    return Hit(
        series=name,
        span=Span(last, last, 1),
        message=f"the run ended at step {last:,}{of} {what}{told}",
        advice=advice,
        severity="notice" if excused else None,
        causes=causes,
        also=tuple(one for one in also if one != name),
    )


def _series(patient: Patient) -> str | None:
    """The series that shows how far it came: its outcome, or the one that was logged furthest."""
    if patient.outcome is not None:
        return patient.outcome.series.name
    names = [name for name in patient.run.names() if not name.lower().startswith("system/")]
    steps = {name: patient.run.points.clock(name)[0] for name in names}
    reached = {name: int(found[-1]) for name, found in steps.items() if len(found)}
    return max(reached, key=reached.__getitem__) if reached else None
