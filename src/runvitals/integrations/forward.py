"""Verdict and findings as tags and alerts of a run in another tracker: W&B, MLflow or Trackio.

    run = rv.init(...)
    forward(run, wandb.run)          # or mlflow.active_run(), or what trackio.init() gave

An alert for each warning or worse that opens or worsens, a tag for each that is open, and the verdict
whenever its word changes. It is all sent from the judge's thread: the training does not wait, and what
the tracker refuses is said once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

from runvitals.model import ConfigError, Finding, FindingChange, Verdict
from runvitals.recorder.live import LiveRun

PREFIX = "runvitals"
MAX_TAG_LENGTH = 500  # MLflow takes 8,000 characters, and shows few of them
_LEVELS = {"critical": "ERROR", "warning": "WARN", "notice": "INFO"}


class Tracker(Protocol):
    """Where it goes."""

    def alert(self, finding: Finding, step: int) -> None:
        """A finding opened or got worse."""

    def show(self, open_: list[Finding]) -> None:
        """These findings are open now."""

    def verdict(self, said: Verdict) -> None:
        """The verdict, in a new word or at the end."""


def forward(run: LiveRun, to: Any) -> None:
    """Tell `to`, a live run of W&B, MLflow or Trackio, what is found in `run` from now on.

    End `run` before the other one: the last look comes with its end.
    """
    # by the library that its class, or one that it is made from, comes from
    tools = [re.split(r"\W", base.__module__)[0] for base in type(to).__mro__]
    kind = next((_KNOWN[tool] for tool in tools if tool in _KNOWN), None)
    if kind is None:
        hint = "give it wandb.run, mlflow.active_run(), or what trackio.init() returned"
        raise ConfigError(f"nothing can be forwarded to {type(to).__name__}", hint=hint)
    tracker = kind(to)
    found: dict[tuple[str, str], Finding] = {}

    def changed(change: FindingChange) -> None:
        key = (change.finding.code, change.finding.series)
        if change.event == "closed":
            found.pop(key, None)
        else:
            found[key] = change.finding
            tracker.alert(change.finding, change.step)
        tracker.show(list(found.values()))

    run.on_finding(changed)
    run.on_verdict(tracker.verdict)


class _Wandb:
    """Alerts, tags such as `runvitals:KL001`, and `runvitals/verdict` in the summary."""

    def __init__(self, run: Any) -> None:
        self._run = run
        self._word = ""
        self._codes: list[str] = []

    def alert(self, finding: Finding, step: int) -> None:
        self._run.alert(
            title=_title(finding), text=_text(finding, step), level=_LEVELS[finding.severity]
        )

    def show(self, open_: list[Finding]) -> None:
        self._codes = _codes(open_)
        self._run.summary[f"{PREFIX}/findings"] = ", ".join(self._codes)
        self._tag()

    def verdict(self, said: Verdict) -> None:
        self._word = said.word
        self._run.summary[f"{PREFIX}/verdict"] = said.word
        self._run.summary[f"{PREFIX}/reason"] = said.reason
        self._tag()

    def _tag(self) -> None:
        others = [tag for tag in self._run.tags or () if not tag.startswith(f"{PREFIX}:")]
        mine = [f"{PREFIX}:{word}" for word in (self._word, *self._codes) if word]
        self._run.tags = (*others, *mine)


class _Mlflow:
    """Tags: `runvitals.verdict`, `runvitals.findings`, and one for each open finding."""

    def __init__(self, run: Any) -> None:
        from mlflow import MlflowClient

        self._client = MlflowClient()
        self._id = run.info.run_id
        self._tagged: set[str] = set()

    def alert(self, finding: Finding, step: int) -> None:
        key = f"{PREFIX}.finding.{finding.code}"
        self._tagged.add(key)
        self._set(key, f"{finding.severity}: {_text(finding, step)}")

    def show(self, open_: list[Finding]) -> None:
        codes = _codes(open_)
        self._set(f"{PREFIX}.findings", ", ".join(codes) or "none")
        for key in sorted(self._tagged):
            if key.rpartition(".")[2] not in codes:
                self._client.delete_tag(self._id, key)
                self._tagged.discard(key)

    def verdict(self, said: Verdict) -> None:
        self._set(f"{PREFIX}.verdict", said.word)
        self._set(f"{PREFIX}.reason", said.reason)

    def _set(self, key: str, value: str) -> None:
        self._client.set_tag(self._id, key, value[:MAX_TAG_LENGTH])


class _Trackio:
    """Alerts; Trackio has no tags, so that the verdict is an alert too."""

    def __init__(self, run: Any) -> None:
        self._run = run
        self._said: tuple[str, str] = ("", "")

    def alert(self, finding: Finding, step: int) -> None:
        self._send(_title(finding), _text(finding, step), _LEVELS[finding.severity], step)

    def show(self, open_: list[Finding]) -> None:
        """There is nowhere to show it."""

    def verdict(self, said: Verdict) -> None:
        if self._said != (said.word, said.reason):
            self._said = (said.word, said.reason)
            self._send(f"{PREFIX}: {said.word}", said.reason, "INFO", None)

    def _send(self, title: str, text: str, level: str, step: int | None) -> None:
        from trackio import AlertLevel

        self._run.alert(title=title, text=text, level=AlertLevel[level], step=step)


_KNOWN: dict[str, Callable[[Any], Tracker]] = {
    "wandb": _Wandb, "mlflow": _Mlflow, "trackio": _Trackio,
}  # fmt: skip


def _codes(found: list[Finding]) -> list[str]:
    return sorted({one.code for one in found})


def _title(finding: Finding) -> str:
    return f"{PREFIX}: {finding.code} {finding.name}"


def _text(finding: Finding, step: int) -> str:
    advice = f"; {finding.advice}" if finding.advice else ""
    return f"{finding.message} (step {step:,}){advice}"
