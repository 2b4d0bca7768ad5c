"""The few numbers of a run that a person looks at first, each beside what is healthy."""

from collections.abc import Iterator
from dataclasses import dataclass

from runvitals import catalog
from runvitals.model import FloatArray, Run
from runvitals.vitals import RunContext, Vital, vital_of

SHARES = {"outcome": 3, "eval": 2, "health": 6, "data": 2, "speed": 2}  # rows, at the usual height
GROUPS = tuple(group for group in catalog.GROUPS if group in SHARES)  # in reading order
UNLISTED = catalog.reading_position("")  # the place of what nobody looks at first


@dataclass(frozen=True)
class PanelLine:
    """One metric: the name it was logged under, its curve, and its vital if the catalog knows it."""

    group: str
    name: str
    values: FloatArray
    vital: Vital | None

    @property
    def last(self) -> float:
        """The newest value."""
        return float(self.values[-1])

    @property
    def range(self) -> str:
        """The range it is held against, as short as it can be; empty if there is none."""
        held = None if self.vital is None else self.vital.range
        return "" if held is None else str(held)


def panel(run: Run, outcome: str | None = None, *, rows: int | None = None) -> list[PanelLine]:
    """The outcome that the verdict rests on, then the most telling metrics of each group."""
    chosen = list(_in_reading_order(run, outcome))
    if rows is None or rows >= sum(SHARES.values()):
        return chosen
    spare = sum(SHARES.values()) - rows
    for group in ("data", "eval", "health", "speed", "outcome"):
        mine = [line for line in chosen if line.group == group]
        for line in mine[: 0 if group == "data" else 1 : -1][: max(0, spare)]:
            chosen.remove(line)
            spare -= 1
    return chosen[:rows]


def _in_reading_order(run: Run, outcome: str | None) -> Iterator[PanelLine]:
    by_group: dict[str, list[tuple[int, str, str]]] = {group: [] for group in GROUPS}
    for metric, names in run.metrics().items():
        group: str = catalog.group_of(metric)
        if group in by_group:
            place = -1 if outcome in (metric, *names) else catalog.reading_position(metric)
            if group != "data" or place < UNLISTED:
                by_group[group].append((place, metric, names[0]))
    first = "eval" if any(place < 0 for place, *_ in by_group["eval"]) else "outcome"
    context = RunContext(run)
    for group in sorted(GROUPS, key=lambda g: (g != first, GROUPS.index(g))):
        for _, metric, _ in sorted(by_group[group])[: SHARES[group]]:
            series = run.get(metric)
            if series is not None and len(series):
                vital = vital_of(run, series.name, context=context)
                yield PanelLine(group, series.name, series.values, vital)
    if not any(by_group.values()):
        for name in run.names()[: SHARES["health"]]:
            yield PanelLine("other", name, run[name].values, None)
