"""Runs of other tools, written again as run folders of ours."""

from __future__ import annotations

import dataclasses
import shutil
import time
from pathlib import Path
from typing import Any

from runvitals.model import Run, RunInfo, Sample
from runvitals.recorder.config import json_safe
from runvitals.recorder.identity import slug
from runvitals.recorder.record import RunRecord
from runvitals.store.files import write_json
from runvitals.store.layout import PROGRESS_FILE, new_life
from runvitals.store.run_file import run_file_if_any
from runvitals.store.writer import StoreSink

UNFINISHED = ".importing"  # ends the name of a folder until it is complete


def import_run(run: Run, top: Path) -> tuple[Path, bool]:
    """Write a run below `top/<project>`; gives its folder, and False if it was imported before.

    Names, values, steps, times, ranks, settings, texts, histograms and samples stay as they are. What a
    restart logged again is left out.
    """
    source = {"path": str(run.path), "id": run.id, "format": run.format}
    project = run.project or (run.path.parent.name if run.path else "") or "imported"
    folder, known = _place(top / slug(project), slug(run.id), source)
    if known:
        return folder, False
    unfinished = folder.with_name(folder.name + UNFINISHED)
    if unfinished.exists():
        shutil.rmtree(unfinished)  # an import that was interrupted
    unfinished.mkdir(parents=True)
    started = run.started if run.started is not None else time.time()
    info = RunInfo(folder.name, run.name, project, unfinished, started=started)
    _write_points(run, dataclasses.replace(info, life=new_life(started)))
    if run.progress:
        write_json(unfinished / PROGRESS_FILE, json_safe(dict(run.progress)))
    RunRecord(unfinished, _content(run, info, source)).save(durable=True)
    unfinished.rename(folder)
    return folder, True


def _place(project: Path, name: str, source: dict[str, str]) -> tuple[Path, bool]:
    """A folder for this run: the one it has already, or a new one beside others of its name."""
    folder, number = project / name, 1
    while folder.exists():
        provenance = run_file_if_any(folder).content.get("provenance") or {}
        if provenance.get("imported") == source:
            return folder, True
        number += 1
        folder = project / f"{name}-{number}"
    return folder, False


def _write_points(run: Run, info: RunInfo) -> None:
    blocks = list(run.points.blocks())
    for rank in sorted({0, *(block.rank for block in blocks)}):
        sink = StoreSink()
        sink.open(dataclasses.replace(info, rank=rank))
        sink.write([block for block in blocks if block.rank == rank], [])
        if rank == 0:
            others = (event for event in run.events() if not isinstance(event, Sample))
            sink.write([], [*others, *run.samples()])
        sink.close(run.status)


def _content(run: Run, info: RunInfo, source: dict[str, str]) -> dict[str, Any]:
    return {
        "id": info.id,
        "name": info.name or run.id,
        "project": info.project,
        "status": "unknown" if run.status == "running" else run.status,
        "started": run.started,
        "ended": run.ended,
        "exit_code": run.exit_code,
        "config": json_safe(dict(run.config)),
        "tags": list(run.tags),
        "notes": run.notes,
        "framework": run.framework,
        "algorithm": run.algorithm,
        "provenance": {**json_safe(dict(run.provenance)), "imported": source},
        "last_step": run.last_step,
        "stopped_by": run.stopped_by,
    }
