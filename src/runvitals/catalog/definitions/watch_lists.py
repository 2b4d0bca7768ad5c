"""Watch lists by the names people give them, and the metrics on each list."""

from dataclasses import dataclass
from functools import cache

from runvitals.catalog.definitions.scenarios import CHAPTERS, SCENARIOS
from runvitals.catalog.resolving.ask import resolve
from runvitals.catalog.resolving.wording import stems, text_of_heading
from runvitals.model import Scenario, WatchGroup

__all__ = ["ListedMetric", "find_groups", "find_scenario", "listed", "watch_list_titles"]

_LEFT_OUT = frozenset({"training", "metric", "first", "next"})


@dataclass(frozen=True, slots=True)
class ListedMetric:
    """A metric of a list, and the names under which the list's document has it."""

    metric: str
    names: tuple[str, ...] = ()


@cache
def listed(scenario: Scenario, group: WatchGroup) -> tuple[ListedMetric, ...]:
    """The metrics of a group in the order of its document, then what we add.

    >>> group = SCENARIOS["teacher-tuning"].groups[4]
    >>> [(one.metric, one.names) for one in listed(SCENARIOS["teacher-tuning"], group)][2]
    ('reward/var', ('Epoch/RewardVariance', 'Train/RewardVariance'))
    """
    names: dict[str, list[str]] = {}
    for name in group.names:
        names.setdefault(_metric_of(name, scenario.tools), []).append(name)
    for metric in group.metrics:
        names.setdefault(metric, [])
    return tuple(ListedMetric(metric, tuple(found)) for metric, found in names.items())


def _metric_of(name: str, tools: tuple[str, ...]) -> str:
    for tool in tools:
        found = resolve(name, framework=tool)
        if found is not None:
            return found.metric
    raise LookupError(f"none of {', '.join(tools)} logs {name}")


def find_scenario(text: str) -> Scenario | None:
    """The list with this id or title, or the only one whose title or algorithms have these words.

    >>> find_scenario("minimum viable dashboard").id, find_scenario("DPO / KTO").id
    ('minimum-dashboard', 'dpo-kto')
    """
    known = (*SCENARIOS.values(), *CHAPTERS.values())
    plain = text_of_heading(text).casefold()
    for scenario in known:
        names = (scenario.id, scenario.title, *scenario.also)
        if plain in (name.casefold() for name in names):
            return scenario
    wanted = stems(plain) - {"training"}
    fitting = [
        scenario
        for scenario in known
        if len(wanted) > 1
        and (
            wanted <= stems(f"{scenario.id} {scenario.title}")
            or wanted <= stems(" ".join(scenario.algorithms))
        )
    ]
    return fitting[0] if len(fitting) == 1 else None


def find_groups(text: str) -> list[tuple[Scenario, WatchGroup]]:
    """Groups of watch lists with this title.

    >>> [(s.id, g.title) for s, g in find_groups("Reward Analysis")]
    [('teacher-tuning', 'Reward analysis')]
    """
    plain = text_of_heading(text).casefold()
    every = [
        (scenario, group, name)
        for scenario in (*SCENARIOS.values(), *CHAPTERS.values())
        for group in scenario.groups
        for name in (group.title, *group.also)
    ]
    wanted = stems(plain) - _LEFT_OUT
    found = [one for one in every if one[2].casefold() == plain] or [
        one for one in every if wanted and stems(one[2]) - _LEFT_OUT == wanted
    ]
    return [(scenario, group) for scenario, group, _ in found]


def watch_list_titles() -> list[str]:
    """The titles of all watch lists and their groups."""
    known = (*SCENARIOS.values(), *CHAPTERS.values())
    titles = [name for one in known for name in (one.id, one.title, *one.also)]
    titles += [name for one in known for group in one.groups for name in (group.title, *group.also)]
    return list(dict.fromkeys(titles))
