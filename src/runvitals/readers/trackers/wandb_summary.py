"""W&B's `wandb-summary.json`: the last value of each metric, where the history itself is lost."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from runvitals.model import ReadError, RowBlock
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import open_binary, uncompressed_name
from runvitals.readers.rows.table import MAX_COLUMNS, MAX_STEP
from runvitals.readers.trackers._json_values import flatten
from runvitals.readers.trackers._wandb_folder import config_beside, started_beside

ID = "wandb-summary"

_MAX_BYTES = 32 * 2**20


def sniff(path: Path, head: bytes) -> int:
    """By its name; not where the run file with the whole history lies beside it."""
    if uncompressed_name(path) != "wandb-summary.json" or not head.lstrip().startswith(b"{"):
        return 0
    return 0 if _history_beside(path) else 90


def _history_beside(path: Path) -> bool:
    folder = path.parent
    try:
        return folder.name == "files" and any(
            file.stat().st_size > 7 for file in folder.parent.glob("run-*.wandb")
        )
    except OSError:
        return False


def read(path: Path) -> list[Log]:
    """One point per metric, at the last step."""
    try:
        with open_binary(path) as file:
            text = file.read(_MAX_BYTES + 1)
        if len(text) > _MAX_BYTES:
            raise ReadError(path, f"larger than {_MAX_BYTES >> 20} MiB: no summary")
        summary: Any = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ReadError(path, f"not valid JSON ({error})") from error
    except (OSError, EOFError, ValueError) as error:
        raise ReadError(path, str(error)) from error
    if not isinstance(summary, dict):
        raise ReadError(path, "not a JSON object")
    row: dict[str, float] = {}
    for name, value in list(summary.items())[:MAX_COLUMNS]:
        if name != "_wandb":
            flatten(name, value, row, [])
    step = row.pop("_step", 0.0)
    time = row.pop("_timestamp", math.nan)
    if not row.keys() - {"_runtime"}:
        raise ReadError(path, "no metrics in it", hint="the run ended before it logged any")
    at = int(step) if math.isfinite(step) and abs(step) <= MAX_STEP else 0
    log = Log(path, ID, config=config_beside(path), started=started_beside(path))
    log.warnings.append("a summary holds only the last value of each metric, no history")
    values = np.array([list(row.values())])
    log.add([(1, RowBlock(tuple(row), np.array([at]), np.array([time]), values))])
    return [log]


READER = Reader(ID, "Weights & Biases summary (wandb-summary.json)", sniff, read, role="side")
