"""Which charts a run has, in the order in which a practitioner reads them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import get_args

from runvitals import catalog
from runvitals.model import Run, Scenario, all_findings, split_labels
from runvitals.view.events.shelf import EventShelf
from runvitals.view.families import families
from runvitals.view.json_safe import number
from runvitals.view.points.axis_series import series_key
from runvitals.view.points.ranks import MANY_RANKS, MAX_CHOSEN, OF_RANKS, by_interest, differing
from runvitals.view.schemas.judgement import (
    Chart,
    ChartKind,
    FindingCard,
    HealthyBand,
    Section,
    SeriesName,
)
from runvitals.vitals import Range, ranges_of

SECTIONS: tuple[Section, ...] = get_args(Section)
MAX_ESSENTIAL = 9
FEW = 4  # names that mean nothing to the catalog, where there are no others
_GROUPS: dict[str, Section] = {
    "outcome": "outcome",
    "eval": "validation",
    "data": "data",
    "speed": "speed",
    "system": "system",
}
_VALUE = ("value/", "advantage/", "returns/")
_WORDS: dict[str, Section] = {
    "system": "system",
    **dict.fromkeys(("val", "valid", "validation", "eval", "evaluation", "test"), "validation"),
}
_STAND_INS = {  # what tells the same where the metric itself is not logged
    "policy/approx_kl": ("policy/kl_old", "policy/kl_ref"),
    "throughput/env_steps_per_s": (
        "throughput/tokens_per_s_per_device",
        "throughput/tokens_per_s",
        "time/step_s",
    ),
}


def section_of(metric: str | None, name: str = "") -> Section:
    """The section of a metric; names that mean nothing to the catalog go by their first word.

    >>> section_of("value/loss"), section_of("policy/entropy"), section_of(None, "System/cpu")
    ('value', 'policy', 'system')
    """
    if metric is None:
        return _WORDS.get(re.split(r"[^a-z]", name.lower(), maxsplit=1)[0], "other")
    group = catalog.group_of(metric)
    if group == "health":
        if metric.startswith("reward/"):
            return "outcome"
        return "value" if metric.startswith(_VALUE) else "policy"
    return _GROUPS.get(group, "other")


def essential_metrics(run: Run, outcome: str | None) -> list[str]:
    """The minimum viable dashboard of this run: the outcome, then what its kind of training needs."""
    mine = run.metrics()
    basics = catalog.SCENARIOS["minimum-dashboard"]
    wanted = [next(_present(m, mine), m) for group in basics.groups for m in group.metrics]
    scenario = _fitting(run.algorithm or "", mine)
    if scenario is not None:
        groups = [[m for m in group.metrics if m in mine] for group in scenario.groups]
        wanted += [m for row in zip_longest(*groups) for m in row if m is not None]
    bound = run.bindings.get(outcome or "")
    first = [] if outcome is None else [outcome if bound is None else bound.metric]
    known = [metric for metric in wanted if metric in mine]
    if not known:
        known = sorted(mine, key=catalog.reading_position) or run.names()[:FEW]
    return list(dict.fromkeys([*first, *known]))[:MAX_ESSENTIAL]


def _present(metric: str, mine: Collection[str]) -> Iterator[str]:
    """The metric itself and what can stand in for it, as far as they were logged."""
    return (one for one in (metric, *_STAND_INS.get(metric, ())) if one in mine)


def _fitting(algorithm: str, mine: Collection[str]) -> Scenario | None:
    """The watch list of which this run has most; those of its algorithm, if it is known."""
    told = [s for s in catalog.SCENARIOS.values() if s.groups and s.algorithms]
    fitting = [s for s in told if algorithm.upper() in map(str.upper, s.algorithms)]
    having = {s.id: len({m for g in s.groups for m in g.metrics if m in mine}) for s in told}
    best = max(fitting or told, key=lambda s: having[s.id])
    return best if having[best.id] else None


STACKED = {  # parts of a whole, and what to call all of them together
    "reward/component_mean": "Parts of the reward",
    "time/stage_s": "Time of other stages",
    "policy/action_share": "Shares of actions",
}
WHOLE = "group"  # the label of parts that belong together: a policy's shares, and its teacher's
MAX_LINES = 12  # of a family that are told apart
MAX_MEMBERS = 256  # of a family that a chart shows
STAGES = tuple(
    f"time/{stage}_s"
    for stage in "generation reward old_logprob ref_logprob logprob value advantage policy_update "
    "value_update weight_sync checkpoint eval data tool_calls env_step inference training".split()
)


def charts_of(
    run: Run, events: EventShelf, findings: Sequence[FindingCard], outcome: str | None
) -> list[Chart]:
    """All charts of a run."""
    told = _ranks_in_findings(findings)
    charts = [*_scalar_charts(run, told), *_stage_chart(run), *_heatmaps(run, events)]
    essential = essential_metrics(run, outcome)
    places = {metric: place for place, metric in enumerate(essential)}
    # what is told of the log as a whole is anchored at a point, and says nothing about its series
    whole = [finding.about_log and finding.span.count < 2 for finding in findings]
    touched = [set() if w else _names_in(one) for w, one in zip(whole, findings, strict=True)]
    for chart in charts:
        keys = {chart.metric, *(one.name for one in chart.names)}
        chart.essential = chart.kind != "heatmap" and (
            chart.metric in places or (chart.metric is None and chart.key in places)
        )
        chart.findings = [i for i, names in enumerate(touched) if names & keys]
    return sorted(charts, key=lambda chart: _order(chart, places, outcome))


def _order(chart: Chart, essential: Mapping[str, int], outcome: str | None) -> tuple[int, ...]:
    names = {chart.metric, *(one.name for one in chart.names)}
    place = catalog.reading_position(chart.metric) if chart.metric else 10_000
    first = essential.get(chart.metric or chart.key, len(essential))
    return SECTIONS.index(chart.section), outcome not in names, first, place


def _names_in(finding: FindingCard) -> set[str | None]:
    told = all_findings((finding,))
    return {name for one in told for name in (one.series, one.metric, *one.also)} - {None}


def _ranks_in_findings(findings: Sequence[FindingCard]) -> dict[str, set[int]]:
    """Of which ranks findings speak, by the name of the series."""
    found: dict[str, set[int]] = {}
    for one in all_findings(findings):
        if one.rank is not None:
            for name in (one.series, *one.also):
                found.setdefault(name, set()).add(one.rank)
    return found


def _scalar_charts(run: Run, told: Mapping[str, set[int]]) -> Iterable[Chart]:
    bound = run.metrics()
    for metric, names in bound.items():
        for whole, parts in _wholes(run, metric, names).items():
            yield _metric_chart(run, metric, parts, told, whole)
    known = {name for names in bound.values() for name in names}
    for title, members in _parts(families(name for name in run.names() if name not in known)):
        mine = [one for name in members for one in series_names(run, name, told)]
        many = len(mine) > len(members) or len(members) > MAX_LINES
        kind: ChartKind = "spread" if many else "line"
        yield Chart(
            key=title,
            section=section_of(None, title),
            title=title,
            names=mine,
            ranks=_rank_count(run, members, mine),
            kind=kind,
        )


def _parts(found: Mapping[str, Sequence[str]]) -> Iterable[tuple[str, Sequence[str]]]:
    """Families, the large ones in parts that a chart can show."""
    for title, members in found.items():
        for first in range(0, len(members), MAX_MEMBERS):
            part = members[first : first + MAX_MEMBERS]
            whole = len(part) == len(members)
            yield title if whole else f"{title} {first + 1} to {first + len(part)}", part


def _rank_count(run: Run, names: Sequence[str], shown: Sequence[SeriesName]) -> int:
    ranked = {one.name for one in shown if one.rank is not None}
    return max((len(run.points.ranks(name)) for name in names if name in ranked), default=0)


def _wholes(run: Run, metric: str, names: Sequence[str]) -> dict[str, list[str]]:
    """The names of a metric; of one whose series are stacked, by the whole that each is a part of.

    The key of the only whole, and of the one with most points, is empty: that chart is the metric's.
    """
    if metric not in STACKED:
        return {"": list(names)}
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(dict(run.bindings[name].labels).get(WHOLE, ""), []).append(name)
    main = max(found, key=lambda whole: max(run.points.facts(n).points for n in found[whole]))
    return {"" if whole == main else whole: parts for whole, parts in found.items()}


def _metric_chart(
    run: Run, metric: str, names: Sequence[str], told: Mapping[str, set[int]], whole: str = ""
) -> Chart:
    known = catalog.metric(metric)
    mine = [one for name in names for one in series_names(run, name, told)]
    kind: ChartKind = "line"
    if metric in STACKED and len(mine) > 1 and all(one.rank is None for one in mine):
        kind = "stacked"
    elif any(one.rank is not None or "rank" in one.labels for one in mine):
        kind = "spread"
    band, limit = bands_of(run, metric)
    title = STACKED[metric] if kind == "stacked" else _title(metric)
    return Chart(
        key=f"{metric}:{whole}" if whole else metric,
        section=section_of(metric),
        title=f"{title}: {whole}" if whole else title,
        names=mine,
        ranks=_rank_count(run, names, mine),
        kind=kind,
        metric=metric,
        meaning="" if known is None else known.meaning,
        unit="" if known is None else known.unit,
        direction="neutral" if known is None else known.direction,
        band=band,
        limit=limit,
    )


def _title(metric: str) -> str:
    known = catalog.metric(metric)
    return (known.title if known is not None else "") or metric


def series_names(
    run: Run, name: str, told: Mapping[str, set[int]] | None = None
) -> list[SeriesName]:
    """The series of one name: one, or those of its ranks where they logged different values.

    Of many ranks there are the lowest, median and highest value over all of them, and a few by
    interest: first those that findings name, then the outermost.
    """
    binding = run.bindings.get(name)
    labels = dict(binding.labels) if binding is not None else split_labels(name)[1]
    metric = None if binding is None else binding.metric
    mine = (told or {}).get(name, set())
    every = differing(run, name)
    ranks = every
    if len(every) > MANY_RANKS:
        ranks = by_interest(run.points, name, every, mine)[: max(MAX_CHOSEN, len(mine))]
    found = []
    shown: Sequence[int | None] = ranks or [None]
    for rank in shown:
        facts = run.points.facts(name, rank)
        found.append(
            SeriesName(
                key=series_key(name, rank),
                name=name,
                metric=metric,
                labels=labels,
                rank=rank,
                told=rank in mine,
                points=facts.points,
                nonfinite=facts.nonfinite,
                first_step=facts.first_step,
                last_step=facts.last_step,
                last=number(facts.last),
            )
        )
    if len(every) <= MANY_RANKS:
        return found
    return [*_bands(name, found[0]), *found]


def _representative(names: Sequence[SeriesName]) -> SeriesName:
    """The one series that stands for a name: the median over many ranks, else the first."""
    return next((one for one in names if one.of_ranks == "median"), names[0])


def _bands(name: str, like: SeriesName) -> list[SeriesName]:
    """What stands for all ranks together."""
    return [
        SeriesName(
            key=series_key(name, which),
            name=name,
            metric=like.metric,
            labels=like.labels,
            of_ranks=which,
            points=like.points,
            first_step=like.first_step,
            last_step=like.last_step,
        )
        for which in OF_RANKS
    ]


def _stage_chart(run: Run) -> Iterable[Chart]:
    """Where the time of a step goes, if several of its stages were timed."""
    mine = run.metrics()
    stages = [metric for metric in STAGES if metric in mine]
    if len(stages) > 2:
        names = [_representative(series_names(run, mine[stage][0])) for stage in stages]
        yield Chart(
            key="time-breakdown",
            section="speed",
            title="Where the time goes",
            names=names,
            kind="stacked",
            meaning="Seconds of a step, by stage",
            unit="s",
            direction="lower",
        )


def _heatmaps(run: Run, events: EventShelf) -> Iterable[Chart]:
    steps = events.histogram_steps()
    logged = run.metrics()
    for name, members in families(steps).items():
        found = catalog.resolve(name)
        metric = None if found is None else found.metric
        if metric in STACKED and len(logged.get(metric, ())) >= len(members) > 1:
            continue  # the shares of all members are one chart already
        mine = SeriesName(
            key=name,
            name=name,
            metric=metric,
            points=max(len(steps[one]) for one in members),
            first_step=min(int(steps[one][0]) for one in members),
            last_step=max(int(steps[one][-1]) for one in members),
        )
        yield Chart(
            key=f"histogram:{name}",
            section="policy" if metric is None else section_of(metric),
            title=name,
            names=[mine],
            kind="heatmap",
            metric=metric,
            meaning=f"{len(members)} histograms in one" if len(members) > 1 else "",
        )


def bands_of(run: Run, metric: str) -> tuple[HealthyBand | None, HealthyBand | None]:
    """The range that is healthy, and the limit beyond which something is wrong; None if there is none.

    A limit is only told where no range is: a range is the narrower of the two.
    """
    found = ranges_of(run, metric)
    return _shown(found.healthy), _shown(None if found.range is not None else found.limit)


def _shown(one: Range | None) -> HealthyBand | None:
    if one is None:
        return None
    source = one.source if one.setting else f"{one.why} ({one.source})"
    return HealthyBand(low=one.low, high=one.high, source=source)
