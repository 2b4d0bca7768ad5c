"""Write docs/lab: a page per trainer, with pictures of its healthy and sick runs side by side.

python -m benchmarks.lab.scoreboard      makes the runs
python -m benchmarks.lab.pages       writes the pages from them; --only those of some trainers
"""

from __future__ import annotations

import argparse
import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import orjson
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

import runvitals as rv
from benchmarks.lab.curves import SHOWN
from benchmarks.lab.scoreboard import Program
from runvitals.lab.contract import Fault, Trainer
from runvitals.lab.instruments import FAULTS as PLANT_FAULTS
from runvitals.lab.registry import FILES, trainers

DOCS = Path(__file__).parents[2] / "docs" / "lab"
SEEDS_DRAWN = 3
HEALTHY_COLOUR, SICK_COLOUR = "#2a7f62", "#c0392b"
WIDTH = 60  # characters of a title above a picture
GUIDES = {  # pages about one trainer that are written by hand
    "scheduler": {
        "training_monitoring_guide.md": "monitoring",
        "reward_config_guide.md": "reward",
        "temperature_controller_parameters.md": "temperature controller",
        "kl_regularization_guide.md": "KL regularisation",
        "statistics_stabilization_guide.md": "statistics stabilisation",
    }
}


def main() -> None:
    """Write all pages and pictures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dir", type=Path, default=Path(".scoreboard"))
    parser.add_argument("--only", nargs="*", default=(), help="the pages of these trainers only")
    options = parser.parse_args()
    folder = options.dir
    index = orjson.loads((folder / "index.json").read_bytes())
    programs = {program["program"]: program for program in index["programs"]}
    (DOCS / "pictures").mkdir(parents=True, exist_ok=True)
    matplotlib.use("agg")
    for of in trainers():
        if options.only and of.name not in options.only:
            continue
        draw(of, folder, DOCS / "pictures" / f"{of.name}.png")
        (DOCS / f"{of.name}.md").write_text(page(of, programs))
    if options.only:
        return
    (DOCS / "index.md").write_text(index_page(programs))
    (DOCS / "faults.md").write_text(faults_page(programs))


# pictures


def draw(of: Trainer, folder: Path, file: Path) -> None:
    """A column for the healthy runs and for each chosen fault, a row for each chosen curve."""
    curves, faults = SHOWN[of.name]
    columns = [(Program(of.name, _task(of, None)), "healthy", HEALTHY_COLOUR)]
    for name in faults:
        fault = next(f for f in of.faults if f.name == name)
        columns.append((Program(of.name, _task(of, fault), name), name, SICK_COLOUR))
    size = (2.9 * len(columns), 1.55 * len(curves) + 0.5)
    figure, grid = pyplot.subplots(len(curves), len(columns), figsize=size, squeeze=False)
    for j, (program, title, colour) in enumerate(columns):
        for seed in range(SEEDS_DRAWN):
            place = folder / "lab" / program.case(seed).name
            if not place.exists():
                continue
            run = rv.open_run(place)
            for i, curve in enumerate(curves):
                _curve(grid[i][j], run, curve, colour)
        grid[0][j].set_title(title, fontsize=10)
    for row, curve in zip(grid, curves, strict=True):
        _one_scale(row)
        row[0].set_ylabel(curve, fontsize=7)
    figure.supxlabel("step", fontsize=8)
    figure.tight_layout()
    figure.savefig(file, dpi=85)
    pyplot.close(figure)


def _task(of: Trainer, fault: Fault | None) -> str:
    return of.tasks[0].name if fault is None or not fault.tasks else fault.tasks[0]


def _curve(axes: Axes, run: rv.Run, name: str, colour: str) -> None:
    series = run.get(name)
    if series is not None:
        axes.plot(series.steps, series.values, color=colour, linewidth=1.0, alpha=0.75)
    axes.tick_params(labelsize=6)
    axes.ticklabel_format(axis="x", style="sci", scilimits=(-3, 4))
    axes.xaxis.offsetText.set_fontsize(6)
    axes.yaxis.offsetText.set_fontsize(6)
    axes.grid(alpha=0.25, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)


def _one_scale(row: np.ndarray) -> None:
    """The same y axis in a row; a log scale if a fault blew the numbers up."""
    drawn = [line.get_ydata() for axes in row for line in axes.lines]
    values = np.concatenate([np.asarray(y, float) for y in drawn] or [np.zeros(1)])
    values = values[np.isfinite(values)]
    if not len(values):
        return
    well = [np.asarray(line.get_ydata(), float) for line in row[0].lines]
    healthy = np.concatenate(well or [values])
    usual = float(np.nanmax(np.abs(healthy))) or 1e-6
    far = float(np.abs(values).max()) > 50 * usual
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or 0.1
    for axes in row:
        if far:
            axes.set_yscale("symlog", linthresh=usual)
            axes.set_ylim(low - 0.1 * usual if low >= 0 else 2 * low, 2 * high)
            axes.yaxis.set_minor_locator(NullLocator())
        else:
            axes.set_ylim(low - margin, high + margin)


# pages


def page(of: Trainer, programs: dict[str, dict[str, Any]]) -> str:
    """What it learns, its curves, its faults with what they did, its healthy variants."""
    module = import_module(f"runvitals.lab.{FILES[of.name][0]}")
    _, faults = SHOWN[of.name]
    story = "\n\n".join(
        part
        for part in inspect.cleandoc(module.__doc__ or "").split("\n\n")
        if "with rv." not in part
    )
    parts = [
        f"# {of.name}: {of.title}\n\n{story}\n",
        f"    runvitals lab run {of.name} --seed 3\n"
        f"    runvitals lab run {of.name} --fault {faults[0]} --seed 3\n" + _guides(of.name),
        f"## Healthy and sick\n\n![Curves of {of.name}](pictures/{of.name}.png)\n\n"
        f"Three seeds each, task {of.tasks[0].name} unless a fault needs another. "
        + " ".join(f"**{name}**: {_fault(of, name).title}." for name in faults)
        + "\n",
        "## Tasks\n\n" + _task_table(of, programs),
        "## Faults\n\n" + LADDER_NOTE + "\n\n" + _fault_table(of, of.faults, programs),
        "## Healthy runs that look odd\n\n" + _variant_table(of, programs),
    ]
    if of.name in {
        program["trainer"] for program in programs.values() if program["fault"] in PLANT
    }:
        parts.insert(5, "## Faults of the plant\n\n" + _fault_table(of, PLANT_FAULTS, programs))
    return "\n".join(parts)


PLANT = {fault.name for fault in PLANT_FAULTS}
LADDER_NOTE = (
    "Median score of the sick runs, and of their healthy twins with the same seeds; a fault that the "
    "one-sided Mann-Whitney test (p < 0.05, five seeds) cannot tell from health is *benign*."
)


def _guides(name: str) -> str:
    """Links to what is written by hand about a trainer."""
    links = ", ".join(f"[{title}]({file})" for file, title in GUIDES.get(name, {}).items())
    return f"\nGuides: {links}.\n" if links else ""


def _fault(of: Trainer, name: str) -> Fault:
    return next(fault for fault in of.faults if fault.name == name)


def _task_table(of: Trainer, programs: dict[str, dict[str, Any]]) -> str:
    rows = ["| task | what is learned | score | target | reached |", "|---|---|---|---|---|"]
    for task in of.tasks:
        found = programs.get(Program(of.name, task.name).name)
        reached = "" if found is None else f"{found['learned']} of {found['seeds']}"
        rows.append(f"| {task.name} | {task.title} | {task.score} | {task.target:g} | {reached} |")
    return "\n".join(rows) + "\n"


def _variant_table(of: Trainer, programs: dict[str, dict[str, Any]]) -> str:
    rows = ["| variant | what is odd about it | reached the target |", "|---|---|---|"]
    for variant in of.variants:
        tasks = variant.tasks or (of.tasks[0].name,)
        found = programs.get(Program(of.name, tasks[0], variant=variant.name).name)
        reached = "" if found is None else f"{found['learned']} of {found['seeds']}"
        note = "" if variant.learns else " (not meant to)"
        rows.append(f"| {variant.name} | {variant.title} | {reached}{note} |")
    return "\n".join(rows) + "\n"


def _fault_table(
    of: Trainer, faults: tuple[Fault, ...], programs: dict[str, dict[str, Any]]
) -> str:
    rows = [
        "| fault | code | what goes wrong | task | strength | healthy | sick | verdict | named by |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for fault in faults:
        found = [
            program
            for program in programs.values()
            if program["trainer"] == of.name and program["fault"] == fault.name
        ]
        rules = " ".join(fault.expect)
        for k, program in enumerate(found or [None]):
            head = f"{fault.name} | {fault.code} | {fault.title}" if k == 0 else " | | "
            rows.append(f"| {head} | {_result(program)} | {rules if k == 0 else ''} |")
    return "\n".join(rows) + "\n"


def _result(program: dict[str, Any] | None) -> str:
    if program is None or program["kill_test"] is None:
        return " | | | | not run"
    test = program["kill_test"]
    when = f"{program['strength']}{', late' if program['onset'] else ''}"
    numbers = " | ".join(_number(test[side]) for side in ("healthy", "sick"))
    unit = "" if test["measure"] == "score" else f" ({test['measure']})"
    verdict = "harmful" if test["killed"] else "*benign*"
    return f"{program['task']} | {when} | {numbers} | {verdict}{unit}"


def _number(value: float | None) -> str:
    """A score that is not a number is kept as nothing."""
    return "not a number" if value is None else f"{value:.3g}"


def index_page(programs: dict[str, dict[str, Any]]) -> str:
    """All trainers on one page."""
    healthy = [p for p in programs.values() if p["fault"] is None]
    faulty = [p for p in programs.values() if p["fault"] is not None]
    harmful = [p for p in faulty if p["label"] == "sick"]
    rows = ["| trainer | what it is | tasks | faults |", "|---|---|---|---|"]
    for of in trainers():
        tasks = ", ".join(task.name for task in of.tasks)
        rows.append(f"| [{of.name}]({of.name}.md) | {of.title} | {tasks} | {len(of.faults)} |")
    return f"""# The lab

Small NumPy trainers that learn a real task in seconds on one core and log everything through the
recorder. Each can be broken on purpose, so that you can see what a fault looks like before you meet
it, and so that rules can be measured on runs whose truth is known.

    runvitals lab list
    runvitals lab list ppo
    runvitals lab run ppo --task acrobot --fault lr-x100 --strength gross --onset 0.4 --seed 3
    runvitals lab run scheduler --output-dir out/scheduler

{chr(10).join(rows)}

The scheduler has guides to what it writes and to its settings.
{_guides("scheduler")}
From Python:

```python
from runvitals.lab.running import Case, run_case

result = run_case(Case("sft", variant="short-run", seed=3), "runs", console=False)
print(result.score, result.learned, result.folder)
```

## The scoreboard

`make scoreboard` makes the labelled runs: every fault on every task that it makes sense for, at
several strengths, from the start or setting in at 40% of the run, with five seeds, next to healthy
twins with the same seeds; and healthy runs that look odd. Whether a fault counts as harmful is
measured: the score on the healthy task must be lower than the twins' (one-sided Mann-Whitney test,
p < 0.05), or the speed or memory worse by a fifth, or the record wrong. The runs are kept in
`.scoreboard/`, with `index.json` as their list: label, kill test, rules that should name the fault,
first sick step.

These pages were written from {len(programs)} programs: {len(healthy)} healthy and {len(faulty)}
faulty ones, of which {len(harmful)} do harm; [all faults by code](faults.md).
"""


def faults_page(programs: dict[str, dict[str, Any]]) -> str:
    """Every fault code once, with where it does harm."""
    by_code: dict[str, list[tuple[str, Fault]]] = {}
    for of in trainers():
        for fault in of.faults:
            by_code.setdefault(fault.code, []).append((of.name, fault))
    for fault in PLANT_FAULTS:
        by_code.setdefault(fault.code, []).append(("every trainer", fault))
    rows = [
        "| code | fault | trainer | harmful programs | should be named by |",
        "|---|---|---|---|---|",
    ]
    for code in sorted(by_code):
        for name, fault in by_code[code]:
            found = [
                program
                for program in programs.values()
                if program["fault"] == fault.name and name in (program["trainer"], "every trainer")
            ]
            harmful = sum(program["label"] == "sick" for program in found)
            rows.append(
                f"| {code} | {fault.name}: {fault.title} | {name} | {harmful} of {len(found)} | "
                f"{' '.join(fault.expect) or 'cannot be seen in one run'} |"
            )
    return "# All faults\n\n" + "\n".join(rows) + "\n"


if __name__ == "__main__":
    main()
