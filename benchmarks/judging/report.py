"""The scoreboard as files that are kept: a page to read and numbers to compare."""

from __future__ import annotations

import platform
import sys
from collections import Counter
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from benchmarks.judging.labels import LAB, ROOT
from benchmarks.judging.runs import Judgement
from benchmarks.judging.tables import Table, groups
from benchmarks.rivals.asking import Rival

PAGE = LAB / "scoreboard.md"  # beside the runs: most of these were looked at
NUMBERS = ROOT / "benchmarks" / "results" / "scoreboard.json"

INTRODUCTION = """\
# Scoreboard

How well the rules judge runs whose truth is known. This page is written by

    make scoreboard          make the lab's runs (hours on two cores, kept and resumable), then judge
    make scoreboard-made     make runs with real frameworks (two hours, kept and resumable)
    make scoreboard-judge    judge what is there

{made}

**What is measured.** *Detected*: a warning or worse that is not about the log itself, or a bad word, on
a run with a fault that does harm. *Named*: an
expected rule in its first three findings, each with what it led to; *strictly*: among its first three
codes, a consequence counted like a cause; *named or accepted*: an expected or an acceptable one.
*Findings right*: the share of all alarms on such runs that are expected or acceptable; consequences of
a named cause count, too. *Delay*: from the onset of the fault until the finding could be seen,
to a 24th of the run; *lead*: from there until the outcome fell; both as a share of the run, as medians
over programs, lead only where the outcome fell. In brackets are 95% bootstrap intervals over programs,
since seeds of one program are alike, and over repositories for natural logs; a program counts once,
however many seeds it has. Where all programs agree, the exact binomial bound stands instead.

**What the labels are worth.**

- Lab runs come from small NumPy trainers. A fault counts as harmful if a test against healthy runs with
  the same seeds says so (`benchmarks/lab/kill_test.py`), else as benign. What a fault should be called
  was decided by the people who wrote the rules. Runs without a fault that missed their target by
  themselves count neither as healthy nor as sick. Where fewer than five seeds of a fault were made, it
  counts as harmful only if the run missed a target that its healthy twin reached, and is left out
  otherwise: that favours plain faults, so such figures are better than those of a full set.
- Harm is measured against a twin without the fault. Many a harmed run still learns, only less well, and
  its log alone does not show that: most of what is missed is of this kind (see the verdicts).
- Runs of real frameworks (SB3, TRL, the plain Trainer, CleanRL-style scripts, own loops) were made with
  and without faults, and every finished policy or model was measured on the clean task. A fault that
  did no harm is benign, a result in between is left out. Models and tasks are tiny.
- Further Stable-Baselines3 runs were made with deliberate faults; they say harmful or not, and no rule.
- Natural logs from public repositories were labelled by looking at them. They too have no rule to name.
- Nothing is split by run. Of the lab, programs are held out; of the made runs, whole environments and
  data sets; of `public2`, whole repositories; `public` was looked at as a whole. Thresholds were tuned
  on the half "tune". Of the lab's half "held out" only totals are looked at; single made runs and logs
  of that half have been looked at since, so their figures flatter. Both halves share trainers and the
  authors' idea of what goes wrong: the truth for your runs lies lower (see the figures in the README).
- Rivals get every metric they document under the name they document, and their defaults. Their figures
  count any warning or error, whatever it says. None of them was made for these small trainers.
"""

LOOKED_AT = (
    "Tools that have to be part of the training process (traincheck, trainwatch) or look at speed only "
    "(train-doctor) cannot be asked about a log and are left out."
)


def write_page(
    tables: list[Table],
    judged: list[Judgement],
    *,
    not_judged: int,
    minutes: float,
    path: Path = PAGE,
) -> None:
    """The page of the scoreboard."""
    made = (
        f"Last on {datetime.now(UTC):%Y-%m-%d}, in {minutes:.0f} minutes, with runvitals "
        f"{version('runvitals')}, Python {platform.python_version()}, NumPy {np.__version__}, from "
        f"{_sources(judged)}"
        f"{f'; {not_judged} more could not be read' if not_judged else ''}."
    )
    parts = [INTRODUCTION.format(made=made), *(table.for_markdown() for table in tables)]
    path.write_text("\n\n".join([*(part.strip() for part in parts), LOOKED_AT]) + "\n")


def _sources(judged: list[Judgement]) -> str:
    counts = Counter(one.run.source for one in judged)
    return ", ".join(f"{number} runs of {source}" for source, number in counts.items())


def write_numbers(judged: list[Judgement], rivals: list[Rival], path: Path = NUMBERS) -> None:
    """All totals as JSON; nothing about single runs."""
    text: dict[str, Any] = {
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "runvitals": version("runvitals"),
        "python": sys.version.split()[0],
        "figures": [
            {"source": source, "half": half, **of.as_dict()} for source, half, of in groups(judged)
        ],
        "rivals": [_rival(rival) for rival in rivals],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(text, option=orjson.OPT_INDENT_2))


def _rival(rival: Rival) -> dict[str, Any]:
    at_home = [one for one in rival.answers if one.in_scope]
    return {
        "name": rival.name,
        "version": rival.version,
        "absent": rival.absent,
        "failed": rival.failed,
        "alarmed": {
            f"{label}, {half}": [sum(one.alarmed for one in some), len(some)]
            for label in ("sick", "healthy", "benign")
            for half in ("tune", "held out")
            if (some := [a for a in at_home if a.run.label == label and a.run.half == half])
        },
    }
