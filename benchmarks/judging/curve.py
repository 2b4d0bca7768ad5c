"""What the next point of recall would cost: the same runs, judged with the outcome read more eagerly.

One number moves the thresholds with which `rules/outcome/` reads a course. At 2, half as many standard
errors make a fall clear or a standstill certain, half the loss counts as one, and a rise has to be
twice as clear and twice as large; at 0.5 it is the other way round. Rules that do not ask about the
outcome stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from typing import Any

from rich.progress import Progress

from benchmarks.judging.labels import HALVES, NATURAL, Labelled
from benchmarks.judging.outcomes import CURVE, of
from benchmarks.judging.runs import Judgement, judge
from benchmarks.judging.tables import Table

EAGERNESS = (0.5, 0.7, 1.0, 1.4, 2.0, 3.0)
PLACES = ("runvitals.rules.outcome.course",)
ALARMS = ("LARGE", "GIVEN_BACK")  # lower: more alarms
PRAISE = tuple(
    f"MATTERS_OF_{kind}" for kind in ("LOSS", "RATE", "LEVEL", "NOISE")
)  # lower: more praise
GROUPS = {"natural logs": NATURAL, "made runs": ("made", "sb3")}


@contextmanager
def eager(times: float) -> Iterator[None]:
    """Within it outcomes are read this many times as eagerly."""
    before: list[tuple[Any, str, Any]] = []
    for place in map(import_module, PLACES):
        for name in (*ALARMS, *PRAISE):
            if hasattr(place, name):
                usual = getattr(place, name)
                before.append((place, name, usual))
                setattr(place, name, usual / times if name in ALARMS else usual * times)
    try:
        yield
    finally:
        for place, name, usual in before:
            setattr(place, name, usual)


def judge_eagerly(run: Labelled, times: float) -> Judgement | str:
    """The judgement of one run, outcomes read so eagerly."""
    with eager(times):
        return judge(run, since_when=False)


def curve_tables(runs: list[Labelled], *, workers: int, bar: Progress) -> list[Table]:
    """A curve for natural logs and one for made runs."""
    found = []
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for name, sources in GROUPS.items():
            mine = [run for run in runs if run.source in sources]
            if not mine:
                continue
            shown = bar.add_task(f"curve of {name}", total=len(EAGERNESS))
            rows = []
            for times in EAGERNESS:
                judged = list(pool.map(partial(judge_eagerly, times=times), mine, chunksize=8))
                rows.append((times, [one for one in judged if isinstance(one, Judgement)]))
                bar.advance(shown)
            found.append(curve_table(name, rows))
    return found


def curve_table(name: str, rows: list[tuple[float, list[Judgement]]]) -> Table:
    """Found and alarmed by eagerness, in both halves."""
    heads = (*CURVE, "healthy called good")
    table = Table(
        f"What the next point of recall would cost: {name}",
        ("eagerness", *(f"{what}, {half}" for half in HALVES for what in heads)),
        remark=(
            "The thresholds of the outcome reading, moved by one factor; 1 is as it is. Twice as "
            "eager: half the standard errors and half the loss for an alarm, twice both for a rise."
        ),
    )
    for times, judged in rows:
        cells = []
        for half in HALVES:
            sick, healthy = (
                [one for one in judged if (one.run.half, one.run.label) == (half, label)]
                for label in ("sick", "healthy")
            )
            cells.append(of(sum(one.alarmed for one in sick), len(sick)))
            cells.append(of(sum(one.alarmed for one in healthy), len(healthy)))
            cells.append(of(sum(one.praised for one in healthy), len(healthy)))
        table.rows.append((f"{times:g}", *cells))
    return table
