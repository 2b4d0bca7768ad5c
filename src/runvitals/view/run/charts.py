"""Which charts a run has, in the order in which a practitioner reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from runvitals import catalog
from runvitals.model import Run, all_findings, split_labels
from runvitals.view.events.shelf import EventShelf
from runvitals.view.families import families
from runvitals.view.json_safe import number
from runvitals.view.points.columns import series_key
from runvitals.view.run.bands import bands_of
from runvitals.view.run.sections import SECTIONS, essential_metrics, section_of
from runvitals.view.schemas import Chart, ChartKind, Finding, SeriesName

STACKED = {  # parts of a whole, and what to call all of them together
    "reward/component_mean": "Parts of the reward",
    "time/stage_s": "Time of other stages",
    "policy/action_share": "Shares of actions",
}
MAX_RANKS = 64
MAX_LINES = 12  # of a family that are told apart
MAX_MEMBERS = 256  # of a family that a chart shows
STAGES = tuple(
    f"time/{stage}_s"
    for stage in "generation reward old_logprob ref_logprob logprob value advantage policy_update "
    "value_update weight_sync checkpoint eval data tool_calls env_step inference training".split()
)


def charts_of(
    run: Run, events: EventShelf, findings: Sequence[Finding], outcome: str | None
) -> list[Chart]:
    """All charts of a run."""
    charts = [*_scalar_charts(run), *_stage_chart(run), *_heatmaps(run, events)]
    essential = essential_metrics(run, outcome)
    places = {metric: place for place, metric in enumerate(essential)}
    touched = [_names_in(finding) for finding in findings]
    for chart in charts:
        keys = {chart.metric, *(one.name for one in chart.names)}
        chart.essential = chart.kind != "heatmap" and (
            chart.metric in places or (chart.metric is None and chart.key in places)
        )
        chart.findings = [i for i, names in enumerate(touched) if names & keys]
    return sorted(charts, key=lambda chart: _order(chart, places, outcome))


def _order(chart: Chart, essential: Mapping[str, int], outcome: str | None) -> tuple[int, ...]:
    names = {chart.metric, *(one.name for one in chart.names)}
    place = catalog.reading_place(chart.metric) if chart.metric else 10_000
    first = essential.get(chart.metric or chart.key, len(essential))
    return SECTIONS.index(chart.section), outcome not in names, first, place


def _names_in(finding: Finding) -> set[str | None]:
    told = all_findings((finding,))
    return {name for one in told for name in (one.series, one.metric, *one.also)} - {None}


def _scalar_charts(run: Run) -> Iterable[Chart]:
    bound = run.metrics()
    for metric, names in bound.items():
        yield _metric_chart(run, metric, names)
    known = {name for names in bound.values() for name in names}
    for title, members in families(name for name in run.names() if name not in known).items():
        mine = [one for name in members[:MAX_MEMBERS] for one in series_names(run, name)]
        many = len(mine) > len(members) or len(members) > MAX_LINES
        kind: ChartKind = "spread" if many else "line"
        yield Chart(key=title, section=section_of(None, title), title=title, names=mine, kind=kind)


def _metric_chart(run: Run, metric: str, names: Sequence[str]) -> Chart:
    known = catalog.metric(metric)
    mine = [one for name in names for one in series_names(run, name)]
    kind: ChartKind = "line"
    if metric in STACKED and len(mine) > 1 and all(one.rank is None for one in mine):
        kind = "stacked"
    elif any(one.rank is not None or "rank" in one.labels for one in mine):
        kind = "spread"
    band, limit = bands_of(run, metric)
    return Chart(
        key=metric,
        section=section_of(metric),
        title=STACKED[metric] if kind == "stacked" else _title(metric),
        names=mine,
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


def series_names(run: Run, name: str) -> list[SeriesName]:
    """The series of one name: one, or one a rank where ranks logged different values."""
    binding = run.bindings.get(name)
    labels = dict(binding.labels) if binding is not None else split_labels(name)[1]
    ranks: list[int | None] = [None]
    if len(run.points.ranks(name)) > 1:
        differing = [s.labels.get("rank") for s in run.select(name) if s.name == name]
        known = [int(rank) for rank in differing if rank is not None][:MAX_RANKS]
        ranks = [*known] or [None]
    found = []
    for rank in ranks:
        facts = run.points.facts(name, rank)
        found.append(
            SeriesName(
                key=series_key(name, rank),
                name=name,
                metric=None if binding is None else binding.metric,
                labels=labels,
                rank=rank,
                points=facts.points,
                nonfinite=facts.nonfinite,
                first_step=facts.first_step,
                last_step=facts.last_step,
                last=number(facts.last),
            )
        )
    return found


def _stage_chart(run: Run) -> Iterable[Chart]:
    """Where the time of a step goes, if several of its stages were timed."""
    mine = run.metrics()
    stages = [metric for metric in STAGES if metric in mine]
    if len(stages) > 2:
        names = [one for stage in stages for one in series_names(run, mine[stage][0])[:1]]
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
