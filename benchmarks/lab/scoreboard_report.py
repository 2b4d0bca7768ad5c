"""The scoreboard's index as tables: who learned, which faults did harm."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table


def report(index: dict[str, Any], console: Console) -> None:
    """Healthy programs first, then every fault with its kill test, then the sums."""
    healthy = [p for p in index["programs"] if p["fault"] is None]
    faulty = [p for p in index["programs"] if p["kill_test"] is not None]
    console.print(healthy_table(healthy))
    if faulty:
        console.print(fault_table(faulty))
    killed = sum(program["label"] == "sick" for program in faulty)
    codes = {p["code"] for p in faulty if p["label"] == "sick"}
    benign = sum(program["label"] == "benign" for program in faulty)
    console.print(
        f"{len(index['runs'])} runs of {len(index['programs'])} programs; {killed} of "
        f"{len(faulty)} faulty programs do harm, with {len(codes)} different faults; "
        f"{benign} are benign"
    )


def healthy_table(programs: list[dict[str, Any]]) -> Table:
    """How many seeds learned each task."""
    table = Table("healthy program", "learned", "of", title="Healthy runs", title_justify="left")
    for program in programs:
        table.add_row(program["program"], str(program["learned"]), str(program["seeds"]))
    return table


def fault_table(programs: list[dict[str, Any]]) -> Table:
    """What each fault did."""
    table = Table(
        "program",
        "code",
        "measure",
        "healthy",
        "sick",
        "p",
        "label",
        title="Kill test",
        title_justify="left",
    )
    for program in programs:
        test = program["kill_test"]
        p = "" if test["p"] is None else f"{test['p']:.3f}"
        numbers = (
            "nan" if test[side] is None else f"{test[side]:.4g}" for side in ("healthy", "sick")
        )
        table.add_row(
            program["program"], program["code"], test["measure"], *numbers, p, program["label"]
        )
    return table
