"""What `runvitals sweep` prints: for people and for machines."""

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from runvitals.comparison.importance import Importances
from runvitals.comparison.sweep import Sweep
from runvitals.render.judged import fields
from runvitals.render.terminal import safe, table

VERSION = 1
MAX_VALUES = 6  # of a setting that are shown
BAR = 20  # characters of the longest


def text(project: str, sweep: Sweep, found: Importances) -> RenderableType:
    """For the terminal."""
    verdicts = ", ".join(f"{count} {word}" for word, count in sweep.verdicts.items())
    parts: list[RenderableType] = [
        safe(f"{project}: {len(sweep.trials)} runs, {verdicts}", "bold"),
        safe(sweep.sentence),
        Text(),
        _settings(sweep),
        Text(),
    ]
    parts += [_regions(sweep), Text()] if sweep.regions else []
    parts += [Text(found.problem, style="dim")] if found.problem else _importance(found)
    return Group(*parts, Text())


def _settings(sweep: Sweep) -> Table:
    made = table("setting", "values", overflow="fold")
    for one in sweep.settings:
        shown = [str(value) for value in one.choices[:MAX_VALUES]]
        more = len(one.choices) - len(shown)
        values = ", ".join(shown) + (f" and {more} more" if more else "")
        made.add_row(safe(one.key), safe(values))
    return made


def _regions(sweep: Sweep) -> Table:
    titles = ("region", "runs", "fail", sweep.metric or "outcome", "typical findings")
    made = table(*titles, overflow="fold")
    for place, region in enumerate(sweep.regions):
        codes = ", ".join(f"{code} {count}" for code, count in region.typical)
        level = (
            f"{region.mean}, clearly best" if place == sweep.best else str(region.mean or "none")
        )
        made.add_row(
            safe(region.condition),
            Text(str(region.count)),
            Text(f"{region.failed} of {region.count}", style="red" if region.failed else ""),
            Text(level, style="green" if place == sweep.best else ""),
            Text(codes or "none typical", style="" if codes else "dim"),
        )
    return made


def _importance(found: Importances) -> list[RenderableType]:
    made = table("importance", "", "", overflow="fold")
    longest = max((one.mean for one in found.settings), default=0.0)
    for one in found.settings:
        length = round(BAR * max(0.0, one.mean) / longest) if longest > 0 else 0
        made.add_row(
            safe(one.key),
            Text(f"{one.mean:.2f} ± {one.half:.2f}"),
            Text("#" * length if one.clear else "not clearly more than chance", style="dim"),
        )
    explained = 0.0 if found.explained is None else found.explained
    told = (
        "share of the outcome's variance that is lost when a setting is shuffled (permutation "
        f"importance, random forest, R² {explained:.2f} on runs held out)"
    )
    return [made, Text(told, style="dim")]


def as_json(project: str, sweep: Sweep, found: Importances) -> dict[str, Any]:
    """For machines."""
    return {
        "version": VERSION,
        "project": project,
        "runs": len(sweep.trials),
        **fields(sweep, "verdicts sentence metric"),
        "settings": {one.key: list(one.choices) for one in sweep.settings},
        "regions": [
            {
                **fields(region, "condition runs failed"),
                "mean": None if region.mean is None else region.mean.mean,
                "half_interval": None if region.mean is None else region.mean.half,
                "typical": dict(region.typical),
                "clearly_best": place == sweep.best,
            }
            for place, region in enumerate(sweep.regions)
        ],
        "importance": [
            {"setting": one.key, "mean": one.mean, "half_interval": one.half, "clear": one.clear}
            for one in found.settings
        ],
        "importance_floor": found.floor,
        "explained": found.explained,
        "importance_problem": found.problem,
    }
