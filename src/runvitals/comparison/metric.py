"""Which metric to compare: one that every run has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from runvitals import catalog
from runvitals.comparison.member import Member, Side
from runvitals.model import RunvitalsError
from runvitals.model.near import did_you_mean
from runvitals.rules.outcome.roles import CANDIDATES
from runvitals.rules.outcome.table import NEVER

MIN_POINTS = 12  # points of a series that is compared, if there is another with as many


def common_outcome(sides: Sequence[Side]) -> str:
    """The most trustworthy outcome that all runs have, with enough points if there is one."""
    members = [member for side in sides for member in side.members]
    shared = [name for name, _ in CANDIDATES if all(name in m.series for m in members)]
    if not shared:
        mine = [f"{side.letter} has {_outcomes(side)}" for side in sides]
        raise RunvitalsError(
            f"no outcome was logged by all runs: {'; '.join(mine)}", hint=_names_in_common(members)
        )
    enough = [n for n in shared if all(len(m.series[n]) >= MIN_POINTS for m in members)]
    tells = [n for n in enough if not _never_succeeds(n, members)]
    return (tells or enough or shared)[0]


def _never_succeeds(name: str, members: Sequence[Member]) -> bool:
    rate = name.endswith("success_rate")
    return rate and all(float(m.series[name].values.max()) <= NEVER for m in members)


def _outcomes(side: Side) -> str:
    counted = Counter(name for member in side.members for name in member.series)
    return ", ".join(name for name, n in counted.items() if n == len(side.members)) or "none"


def asked_for(metric: str, sides: Sequence[Side]) -> str:
    """The metric, if all runs have it."""
    members = [member for side in sides for member in side.members]
    without = [member.path for member in members if metric not in member.series]
    if without:
        more = f" and {len(without) - 1} more" if len(without) > 1 else ""
        raise RunvitalsError(
            f"{metric} was not logged in {without[0]}{more}", hint=_hint(metric, members)
        )
    return metric


def _hint(metric: str, members: Sequence[Member]) -> str:
    """A name that all runs have and that is spelt like this one, or else what they have in common."""
    return did_you_mean(metric, _shared(members)) or _names_in_common(members)


def _shared(members: Sequence[Member]) -> list[str]:
    common = frozenset.intersection(*(member.names for member in members))
    return sorted(name for name in common if not name.lower().startswith("system/"))


def _names_in_common(members: Sequence[Member]) -> str:
    shared = _shared(members)
    if not shared:
        return "they have no name in common; --map tells what an odd name means"
    dots = ", ..." if len(shared) > 8 else ""
    return f"choose with --metric; all have {', '.join(shared[:8])}{dots}"


def direction_of(name: str, members: Sequence[Member]) -> int:
    """1 if more of it is better, -1 if less is, 0 if neither or unknown."""
    known = catalog.metric(members[0].series[name].metric or name)
    return 0 if known is None else {"higher": 1, "lower": -1}.get(known.direction, 0)
