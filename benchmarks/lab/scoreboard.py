"""Make the labelled runs that the rules are measured on, and test which faults do harm.

    python -m benchmarks.lab.scoreboard                the usual set
    python -m benchmarks.lab.scoreboard --quick        a small set, in a minute or two
    python -m benchmarks.lab.scoreboard --only ppo dqn --seeds 10
    python -m benchmarks.lab.scoreboard --minutes 60   what fits; the rest another time
    python -m benchmarks.lab.scoreboard --brief --thin 4 --seeds 1   every fourth fault, one run each

A *program* is a trainer on a task with a fault at one strength and onset, run with several seeds; its
healthy twin has the same seeds and no fault. The kill test compares the two: a fault that does no
measurable harm is labelled benign; with fewer than five seeds it stays untested, and only a fault that
makes a run miss a target its twin reached is labelled sick. Runs are kept below `.scoreboard/` and made
again only when the code that makes them has changed. `index.json` there lists runs and programs.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import islice, zip_longest
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import psutil
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import runvitals.lab
from benchmarks.lab.kill_test import MIN_SEEDS, Killed, kill_test
from runvitals.lab.contract import LATE, STRENGTHS, Fault, Strength
from runvitals.lab.instruments import FAULTS as PLANT_FAULTS
from runvitals.lab.registry import FILES, faults_of, trainer
from runvitals.lab.running import Case, run_case

LAB = Path(runvitals.lab.__file__).parent
PLANT_TRAINERS = ("ppo", "grpo", "sft")  # faults of the plant are the same everywhere
HANG_SECONDS = 3.0  # how long a stopped process is left before it is killed
STOPS_ITSELF = "hangs"


@dataclass(frozen=True)
class Program:
    """A trainer, a task and what is wrong; runs of one program differ in their seed only."""

    trainer: str
    task: str
    fault: str | None = None
    strength: Strength = "clear"
    onset: float = 0.0
    variant: str | None = None
    settings: tuple[tuple[str, float], ...] = ()

    @property
    def twin(self) -> Program:
        """The same without the fault."""
        return Program(self.trainer, self.task, settings=self.settings)

    @property
    def name(self) -> str:
        """In one word."""
        return self.case(0).name.removesuffix("-seed0")

    def case(self, seed: int) -> Case:
        """One run of it."""
        return Case(seed=seed, **{**asdict(self), "settings": dict(self.settings)})


# what to run


def programs(only: Iterable[str] = (), *, full: bool = False, brief: bool = False) -> list[Program]:
    """What to run, most telling first, so that a run that is cut short is still of use.

    Healthy tasks, every fault in its clear form, healthy runs that look odd, late onsets, the other
    strengths; with `full` all of that on every task and not only on a fault's first one, with `brief`
    only the first two.
    """
    chosen = [name for name in FILES if not only or name in only]
    healthy = [Program(name, task.name) for name in chosen for task in trainer(name).tasks]
    odd = [
        Program(name, task, variant=variant.name)
        for name in chosen
        for variant in trainer(name).variants
        for task in (variant.tasks or (trainer(name).tasks[0].name,))[: None if full else 1]
    ]
    faulty = [
        (rank, program)
        for name in chosen
        for fault in faults_of(trainer(name))
        if fault not in PLANT_FAULTS or name in PLANT_TRAINERS
        for rank, program in _programs_of(name, fault)
        if full or rank < OTHER_TASKS
    ]
    ranked = [program for _, program in sorted(faulty, key=lambda entry: entry[0])]
    clear = sum(rank == 0 for rank, _ in faulty)
    rest = [] if brief else [*odd, *ranked[clear:]]
    return list(dict.fromkeys([*healthy, *ranked[:clear], *rest]))


OTHER_TASKS = 3  # the rank from which on programs are run only if all are wanted


def _programs_of(name: str, fault: Fault) -> Iterator[tuple[int, Program]]:
    tasks = fault.tasks or tuple(task.name for task in trainer(name).tasks)
    for k, task in enumerate(tasks[:1] if fault in PLANT_FAULTS else tasks):
        rank = 0 if k == 0 else OTHER_TASKS
        usual = Program(name, task, fault.name)
        if fault.name == STOPS_ITSELF:
            yield rank, replace(usual, onset=LATE)
            continue
        yield rank, usual
        if fault.late:
            yield rank + 1, replace(usual, onset=LATE)
        for strength in STRENGTHS:
            if strength in fault.doses and strength != "clear":
                yield rank + 2, replace(usual, strength=strength)


def thinned(wanted: list[Program], every: int) -> list[Program]:
    """All that is healthy, and of each trainer's faults every this many; trainers take turns."""
    healthy = [program for program in wanted if program.fault is None]
    of_trainer: dict[str, list[Program]] = {}
    for program in wanted:
        if program.fault is not None:
            of_trainer.setdefault(program.trainer, []).append(program)
    rounds = zip_longest(*(members[::every] for members in of_trainer.values()))
    return [*healthy, *(program for one in rounds for program in one if program is not None)]


def quick_programs() -> list[Program]:
    """A few that show every kind of harm and take half a second each."""
    healthy = Program("sft", "sorting", settings=(("max_steps", 75),))
    return [
        healthy,
        replace(healthy, fault="lr-zero"),
        replace(healthy, fault="memory-leak"),
        replace(healthy, fault="slow-steps", strength="gross"),  # clear on a busy machine as well
        replace(healthy, fault="frozen-metric", onset=LATE),
        replace(healthy, fault=STOPS_ITSELF, onset=LATE),
    ]


# making runs


def make_run(program: Program, seed: int, folder: Path) -> dict[str, Any]:
    """One run and its label, from the cache if the code that makes it is still the same."""
    case = program.case(seed)
    note = folder / "results" / f"{case.name}.json"
    made_by = source_hash(program.trainer)
    if note.exists() and (known := orjson.loads(note.read_bytes()))["made_by"] == made_by:
        return dict(known)
    _forget(folder / "lab" / case.name)
    label = _label(program, seed)
    if label["harm"] == "speed":  # the twin once more, at the same time: machines are noisy
        with TemporaryDirectory() as aside:
            twin = _run(program.twin.case(seed), Path(aside))
        label |= {"twin_steps": twin["steps"], "twin_seconds": twin["seconds"]}
    result = _stopped(case, folder) if program.fault == STOPS_ITSELF else _run(case, folder)
    entry = {"made_by": made_by, "name": case.name, **label, **result}
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_bytes(orjson.dumps(entry, option=orjson.OPT_INDENT_2))
    return entry


def _run(case: Case, folder: Path) -> dict[str, Any]:
    result = run_case(
        case,
        folder,
        id=case.name,
        console=False,
        tensorboard=False,
        system=0.5,
        handle_signals=False,
        judge=False,
    )
    return {
        "folder": str(result.folder.relative_to(folder)),
        "score": result.score,
        "learned": result.learned,
        "steps": result.steps,
        "seconds": result.seconds,
        "memory_mb": result.memory_mb,
        "onset_step": result.onset_step,
    }


def _stopped(case: Case, folder: Path) -> dict[str, Any]:
    """A process of its own that stops itself, and is killed after a while, as a user would."""
    source = (
        "from runvitals.lab.running import Case, run_case\n"
        f"run_case({case!r}, {str(folder)!r}, id={case.name!r}, console=False, tensorboard=False,"
        " judge=False)"
    )
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", source])
    watched = psutil.Process(process.pid)
    while process.poll() is None and watched.status() != psutil.STATUS_STOPPED:
        time.sleep(0.1)
    if process.returncode is not None:
        raise RuntimeError(f"{case.name} ended with {process.returncode} instead of stopping")
    time.sleep(HANG_SECONDS)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return {
        "folder": str(Path("lab") / case.name),
        "score": None,
        "learned": False,
        "steps": None,
        "seconds": time.perf_counter() - started,
        "memory_mb": None,
        "onset_step": None,
    }


def _label(program: Program, seed: int) -> dict[str, Any]:
    label: dict[str, Any] = {**asdict(program), "seed": seed, "program": program.name}
    label |= {"label": "healthy", "expect": [], "accept": [], "code": None, "harm": None}
    if program.fault is not None:
        fault = next(f for f in faults_of(trainer(program.trainer)) if f.name == program.fault)
        label |= {
            "label": "fault",
            "expect": list(fault.expect),
            "accept": list(fault.accept),
            "code": fault.code,
            "harm": fault.harm,
        }
    return label


def _forget(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True) if folder.exists() else ():
        path.rmdir() if path.is_dir() else path.unlink()
    if folder.exists():
        folder.rmdir()


@cache
def source_hash(name: str) -> str:
    """Of all the lab's code that a trainer's runs depend on."""
    files = {LAB / "running.py"}
    waiting = [LAB / f"{FILES[name][0]}.py", *files]
    while waiting:
        file = waiting.pop()
        files.add(file)
        waiting += [found for found in _imports(file) if found not in files]
    texts = [file.read_bytes() for file in sorted(files)]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def _imports(file: Path) -> Iterator[Path]:
    """The files of the lab that a file imports; the registry is left out, since it imports all."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("runvitals.lab."):
            found = LAB.joinpath(*str(node.module).split(".")[2:]).with_suffix(".py")
            if found.exists() and found.name != "registry.py":
                yield found


# all together


def make(
    wanted: list[Program],
    seeds: int,
    folder: Path,
    *,
    workers: int,
    console: Console,
    minutes: float = math.inf,
) -> dict[str, Any]:
    """All runs of the programs and of their healthy twins, in parallel; gives the index."""
    wanted = list(dict.fromkeys([*(p.twin for p in wanted if p.fault is not None), *wanted]))
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tasks = iter([(program, seed) for program in wanted for seed in range(seeds)])
    total = len(wanted) * seeds
    ends = time.monotonic() + 60 * minutes
    made = 0
    failed: list[str] = []
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read by the workers, which are started afresh
    bar = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with (
        Progress(*bar, console=console) as progress,
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
    ):
        shown = progress.add_task("runs", total=total)
        waiting: dict[Future[dict[str, Any]], str] = {}
        while True:
            if time.monotonic() < ends:
                for program, seed in islice(tasks, 2 * workers - len(waiting)):
                    future = pool.submit(make_run, program, seed, folder)
                    waiting[future] = program.case(seed).name
            if not waiting:
                break
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                name = waiting.pop(future)
                if error := future.exception():
                    failed.append(f"{name}: {type(error).__name__}: {error}")
                    console.print(f"failed: {failed[-1]}", style="red")
                made += future.exception() is None
                progress.advance(shown)
    index = judge(kept(folder), folder) | {"failed": sorted(failed), "not_made": total - made}
    (folder / "index.json").write_bytes(orjson.dumps(index, option=orjson.OPT_INDENT_2))
    return index


def kept(folder: Path) -> list[dict[str, Any]]:
    """All runs in the folder that today's code would make again, whoever asked for them."""
    notes = [orjson.loads(note.read_bytes()) for note in (folder / "results").glob("*.json")]
    return [note for note in notes if note["made_by"] == source_hash(note["trainer"])]


def judge(runs: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Runs and programs, each program with the result of its kill test."""
    runs = sorted(runs, key=lambda run: run["name"])
    by_program: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        by_program.setdefault(run["program"], []).append(run)
    tested: dict[str, Killed] = {}
    for name, sick in by_program.items():
        twin = by_program.get(Program(sick[0]["trainer"], sick[0]["task"]).name, [])
        twin = [run for run in twin if run["seed"] in {one["seed"] for one in sick}]
        if sick[0]["fault"] is not None and len(twin) == len(sick):
            tested[name] = kill_test(sick, twin, folder)
    for run in runs:
        killed = tested.get(run["program"])
        if run["fault"] is not None:
            few = len(by_program[run["program"]]) < MIN_SEEDS
            unharmed = "untested" if killed is None or few else "benign"
            run["label"] = "sick" if killed is not None and killed.killed else unharmed
    entries = []
    for name, members in by_program.items():
        first = members[0]
        entry = {
            key: first[key]
            for key in ("trainer", "task", "fault", "strength", "onset", "variant", "code", "harm")
        }
        entry |= {"program": name, "label": first["label"], "seeds": len(members)}
        entry |= {"learned": sum(run["learned"] for run in members)}
        entry |= {"kill_test": None if name not in tested else asdict(tested[name])}
        entries.append(entry)
    return {"runs": runs, "programs": sorted(entries, key=lambda entry: str(entry["program"]))}


def main() -> None:
    """Make what is asked for, and say which faults did harm."""
    from benchmarks.lab.scoreboard_report import report

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a small set")
    parser.add_argument(
        "--full", action="store_true", help="every strength and onset on every task"
    )
    parser.add_argument("--brief", action="store_true", help="healthy tasks and clear faults only")
    parser.add_argument("--only", nargs="*", default=(), help="these trainers only")
    parser.add_argument("--thin", type=int, default=1, help="only every this many of the faults")
    parser.add_argument("--seeds", type=int, default=5, help="runs of a program; a test needs 5")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--dir", type=Path, default=Path(".scoreboard"))
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no run after this")
    options = parser.parse_args()
    console = Console()
    wanted = programs(options.only, full=options.full, brief=options.brief)
    if options.thin > 1:
        wanted = thinned(wanted, options.thin)
    if options.quick:
        wanted = quick_programs()
    index = make(
        wanted,
        options.seeds,
        options.dir,
        workers=options.workers,
        console=console,
        minutes=options.minutes,
    )
    report(index, console)
    if index["failed"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
