"""What `rv.watch` logged about parts of a network, for rules: the parts by name, worst first."""

from collections.abc import Callable, Sequence

from runvitals.model import Series
from runvitals.rules.patient import Patient

MAX_NAMED = 3  # in one message; the charts show all


def parts(patient: Patient, metric: str, label: str) -> dict[str, Series]:
    """The series of a metric by this label: `layers.7` and its numbers."""
    return {one.labels[label]: one for one in patient.all(metric) if label in one.labels}


def whole(patient: Patient, metric: str) -> Series | None:
    """The series of a metric over the whole network."""
    return next((one for one in patient.all(metric) if not one.labels), None)


def worst(found: dict[str, Series], of: Callable[[Series], float]) -> list[str]:
    """Names of parts, the largest value first."""
    return sorted(found, key=lambda name: (-of(found[name]), name))


def named(names: Sequence[str]) -> str:
    """A few names, and how many more there are.

    >>> named(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    some, more = names[:MAX_NAMED], len(names) - MAX_NAMED
    if more > 0:
        return f"{', '.join(some)} and {more} more"
    return " and ".join([", ".join(some[:-1]), some[-1]] if len(some) > 1 else some)
