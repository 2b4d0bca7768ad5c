"""ClearML tasks that ran offline: `task.json` and `metrics.jsonl`, in a folder or its archive."""

from pathlib import Path
from typing import Any

from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.numbers import as_number
from runvitals.readers.raw.yaml_values import parse_scalar
from runvitals.readers.trackers._json_values import holds, lines, whole
from runvitals.readers.trackers._series import NamedPoints

ID = "clearml"
_METRICS, _TASK = "metrics.jsonl", "task.json"
_SCALAR = "training_stats_scalar"


def sniff(path: Path, head: bytes) -> int:
    """By the kind of its events; an archive counts where its folder is gone."""
    if path.name == _METRICS and _SCALAR.encode() in head:
        return 99
    unpacked = path.with_suffix("") / _TASK
    return 97 if holds(path, head, {_METRICS, _TASK}) and not unpacked.exists() else 0


def read(path: Path) -> list[Log]:
    """The task, its series called `metric/variant`."""
    log, points = Log(path, ID), NamedPoints()
    for batch in lines(path, _METRICS, log.warnings):
        for event in batch if isinstance(batch, list) else [batch]:
            if not isinstance(event, dict) or event.get("type") != _SCALAR:
                continue
            value, step = as_number(event.get("value")), as_number(event.get("iter"))
            if value is not None and step is not None:
                name = _name(str(event.get("metric", "")), str(event.get("variant", "")))
                points.put(name, step, (as_number(event.get("timestamp")) or 0.0) / 1e3, value)
    if path.suffix == ".zip" or (path.parent / _TASK).is_file():
        task = whole(path, _TASK)
        log.name = str(task.get("name") or "")
        log.config = _settings(task.get("hyperparams"))
    return [points.into(log)]


def _name(metric: str, variant: str) -> str:
    """`loss/train`; a tag of TensorBoard comes as both, or in two parts.

    >>> _name("loss", "train"), _name("loss", "loss"), _name("rollout", "rollout/ep_rew_mean")
    ('loss/train', 'loss', 'rollout/ep_rew_mean')
    """
    if metric.startswith(":monitor:"):
        return f"system/{variant}"
    if variant == metric or variant.startswith(f"{metric}/"):
        return variant
    return f"{metric}/{variant}" if metric and variant else metric or variant


def _settings(sections: Any) -> dict[str, Any]:
    """What was connected, by section; `General` is what has none."""
    found: dict[str, Any] = {}
    for section, settings in (sections if isinstance(sections, dict) else {}).items():
        for name, one in (settings if isinstance(settings, dict) else {}).items():
            value = parse_scalar(str(one.get("value", ""))) if isinstance(one, dict) else one
            found[name if section == "General" else f"{section}/{name}"] = value
    return found


READER = Reader(ID, "ClearML offline task", sniff, read, role="main", owns_folder=True)
