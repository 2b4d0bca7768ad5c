"""RLlib's `result.json` (nested JSON lines) and `progress.csv`, with the `params.json` beside them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from runvitals.model import ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import head as first_bytes
from runvitals.readers.tabular import csv_log, json_lines
from runvitals.readers.tabular._blocks import is_binary, settings, utf8
from runvitals.readers.tabular._json import config_beside
from runvitals.readers.tabular._table_head import sample

ID = "rllib"

_MARKS = (b"training_iteration", b"time_this_iter_s")
_NOT_METRICS = ("config", "hist_stats", "pid", "hostname", "node_ip", "date", "trial_id",
                "experiment_id", "experiment_tag")  # fmt: skip
_STEPS = ("num_env_steps_sampled_lifetime", "timesteps_total", "num_env_steps_sampled",
          "training_iteration")  # fmt: skip


def sniff(path: Path, head: bytes) -> int:
    """By the counters that RLlib puts into every row."""
    if is_binary(head):
        return 0
    text = utf8(head).lstrip()
    if text.startswith(b"{"):
        if all(b'"' + mark + b'"' in text for mark in _MARKS):
            return 95
        return 75 if path.name == "result.json" and b'"episode_reward_mean"' in text else 0
    first = text.partition(b"\n")[0].rstrip(b"\r").split(b",")
    return 95 if set(_MARKS) <= set(first) else 0


def read_together(paths: Sequence[Path]) -> list[Log]:
    """Both files of a trial say the same; the JSON says more."""
    return read(min(paths, key=lambda path: ("json" not in path.name, path.name)))


def read(path: Path) -> list[Log]:
    """The run, with its configuration."""
    start = utf8(first_bytes(path)).lstrip()
    if not start:
        raise ReadError(path, "the file is empty", hint="the trial has not reported yet")
    config = config_beside(path, "params.json")
    if start.startswith(b"{"):
        seen: dict[str, Any] = {}

        def change(row: dict[str, Any]) -> dict[str, Any]:
            if not seen and isinstance(row.get("config"), dict):
                seen.update(settings(row["config"]))
            return {k: v for k, v in row.items() if k not in _NOT_METRICS}

        first = next(iter(json_lines.objects(start)), {})
        step = next((name for name in _STEPS if name in first), None)  # of this version
        logs = json_lines.read_with(
            path, change=change, format=ID, framework="rllib", step=step, config=config
        )
        for log in logs:
            log.config = {**seen, **log.config}
    else:
        found = sample(start, ",")
        if found is None or not found.header:
            raise ReadError(path, "no header line", hint="expected the progress.csv of a trial")
        step = next((name for name in _STEPS if name in found.names), None)
        logs = csv_log.read_with(
            path, found, format=ID, framework="rllib", step=step, config=config, skip=_NOT_METRICS
        )
    for log in logs:
        kind = log.config.get("algo_class") or log.config.get("_algo_class")
        log.algorithm = kind if isinstance(kind, str) and kind.isidentifier() else None
    return logs


READER = Reader(
    ID, "RLlib result.json and progress.csv", sniff, read, role="main", read_together=read_together
)
