"""A report for somebody who need not know where and how a run was made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import Any

from runvitals.model.private import HIDDEN
from runvitals.model.secrets import redacted as without_secrets
from runvitals.view.schemas import RunDetail

LEFT_OUT = HIDDEN
KINDS = ("host", "paths", "argv")
_PATH = re.compile(r"(?<![\w/.:])(~?/|[A-Za-z]:\\)[^\s\"':,;)\]]+")
_HOST_FACTS = ("host", "pid", "cpu", "memory_gb", "gpus", "platform", "environment")


def redacted(detail: RunDetail, what: Sequence[str]) -> RunDetail:
    """Without the host, paths, the command line, or settings whose names match; `all` is everything.

    Secrets are never in a report, also where another tool wrote them into its log.
    """
    kinds = {*KINDS, "*"} if "all" in what else set(what)
    content: dict[str, Any] = detail.model_dump()
    for key in ("full_config", "settings", "config", "provenance", "progress"):
        content[key] = without_secrets(content[key])
    provenance = dict(content["provenance"])
    host = str(provenance.get("host") or "")
    if "host" in kinds:
        provenance = {k: LEFT_OUT if k in _HOST_FACTS else v for k, v in provenance.items()}
    if "argv" in kinds and "argv" in provenance:
        provenance["argv"] = LEFT_OUT
    content["provenance"] = provenance
    patterns = [kind for kind in kinds if kind not in KINDS]
    for key in ("full_config", "settings", "config"):
        content[key] = {
            name: LEFT_OUT if _matches(name, patterns) else value
            for name, value in content[key].items()
        }
    if "paths" in kinds:
        content["path"], content["root"] = PurePath(content["path"]).name, LEFT_OUT
        if content["settings_file"] is not None:
            content["settings_file"] = PurePath(content["settings_file"]).name
        for key in ("provenance", "full_config", "settings", "config", "progress", "warnings"):
            content[key] = _each(content[key], lambda text: _PATH.sub(LEFT_OUT, text))
    if "host" in kinds and len(host) > 2:
        content = _each(content, lambda text: text.replace(host, LEFT_OUT))
    return RunDetail.model_validate(content)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    last = name.rpartition(".")[2]
    return any(fnmatchcase(name, p) or fnmatchcase(last, p) for p in patterns)


def _each(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _each(inner, change) for key, inner in value.items()}
    return [_each(inner, change) for inner in value] if isinstance(value, list) else value
