"""Make what is missing, one run at a time, each in a process of its own."""

from __future__ import annotations

import argparse
import importlib
import math
import os
import re
import sys
import time
import traceback
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.made.keeping import fresh_folder, has_log, keep, missing, name_of, write_index
from benchmarks.made.programs import Program
from benchmarks.made.registry import MAKERS, all_programs

PLACE = Path(__file__).parents[2] / ".scoreboard" / "made"
PATIENCE = 3600.0  # seconds for one run on a busy machine; they take 5 to 60 on a free core
WRITE_EVERY = 5  # runs, until the index is written again


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dir", type=Path, default=PLACE)
    parser.add_argument("--only", nargs="*", default=MAKERS, choices=MAKERS)
    parser.add_argument("--programs", help="a pattern; only programs whose name matches it")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no run after this")
    parser.add_argument("--nice", type=int, default=19, help="how far to stand back for others")
    parser.add_argument("--index", action="store_true", help="only write the index again")
    options = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "WANDB_MODE": "disabled",
    }
    os.nice(options.nice)
    ends = time.monotonic() + 60 * options.minutes
    wanted = [] if options.index else missing(options.dir, chosen(options.only, options.programs))
    failed = 0
    for number, (program, seed) in enumerate(wanted, 1):
        if time.monotonic() > ends:
            break
        told = make_apart(program, seed, options.dir)
        failed += told.startswith("failed")
        if program.world.part == "look" or told.startswith("failed"):
            print(f"{number}/{len(wanted)} {name_of(program, seed)}: {told}", flush=True)
        if number % WRITE_EVERY == 0:
            write_index(options.dir, all_programs())
    entries = write_index(options.dir, all_programs())
    counts = Counter((entry["part"], entry["label"]) for entry in entries)
    print(f"{len(entries)} runs in {options.dir}:", flush=True)
    for (part, label), count in sorted(counts.items()):
        print(f"  {part} {label}: {count}")
    if failed:
        sys.exit(f"{failed} runs failed; see {options.dir / 'notes'}")


def chosen(makers: list[str], pattern: str | None) -> list[Program]:
    """The programs asked for."""
    return [
        program
        for program in all_programs()
        if program.maker in makers and (not pattern or re.search(pattern, program.name))
    ]


def make_apart(program: Program, seed: int, folder: Path) -> str:
    """One run in a process of its own; the frameworks are imported here, once for all."""
    maker = importlib.import_module(f"benchmarks.made.{program.maker}")
    maker.prepare()
    context = get_context("fork")
    child = context.Process(target=_make, args=(maker, program, seed, folder.resolve()))
    began = time.monotonic()
    child.start()
    child.join(PATIENCE)
    if child.is_alive():
        child.kill()
        child.join()
        return f"failed: not done after {PATIENCE:.0f} s"
    note = folder / "notes" / f"{name_of(program, seed)}.log"
    if child.exitcode:
        return f"failed with {child.exitcode}; see {note.name}"
    return f"{note.with_suffix('.txt').read_text()}, {time.monotonic() - began:.0f} s"


def _make(maker: Any, program: Program, seed: int, folder: Path) -> None:
    notes = folder / "notes"
    notes.mkdir(parents=True, exist_ok=True)
    name = name_of(program, seed)
    place = fresh_folder(folder, program, seed)
    console = place / "log.txt" if program.settings.get("console") else notes / f"{name}.log"
    with console.open("w") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
        began = time.monotonic()
        try:
            outcome = maker.make(program, seed, place)
            if not has_log(place):
                raise RuntimeError(f"{name} left no log")
        except Exception:
            text = traceback.format_exc()
            (notes / f"{name}.log").write_text(text)
            raise
        sys.stdout.flush()
    label = keep(folder, program, seed, outcome, time.monotonic() - began)
    (notes / f"{name}.txt").write_text(f"{label} at {outcome.end:.4g}")


if __name__ == "__main__":
    main()
