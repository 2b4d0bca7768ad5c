"""`training.log`: what happened at each update, for reading with `less` and `grep`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np

from runvitals.exporters._append import AppendFile
from runvitals.exporters._board import is_reward_part
from runvitals.exporters._merge import merge_rows
from runvitals.model import RowBlock
from runvitals.model.formatting import counted, number, short_names
from runvitals.model.row import gathered
from runvitals.model.secrets import redacted

MAX_BYTES = 64 * 1024 * 1024
BLOCKS_PER_SECOND = 20
MAX_VALUES = 120
WIDTH = 100

SECTIONS = (
    "outcome", "rewards", "evaluation", "losses", "kl/entropy", "health", "rollout", "speed",
    "system", "other",
)  # fmt: skip
_INDENT = 14


class TrainingLog:
    """Appends a readable block per update: outcome, rewards, losses, KL and entropy, speed.

    At most `BLOCKS_PER_SECOND`; when updates come faster it shows some, always the newest, and
    says how many it left out. It stops at `MAX_BYTES`.
    """

    def __init__(self, path: Path, group: Callable[[str], str]) -> None:
        self._group = group
        self._file = AppendFile(path)
        self._full = self._file.size >= MAX_BYTES
        self._layouts: dict[tuple[str, ...], list[tuple[str, list[int], list[str]]]] = {}
        self._last_write = time.monotonic() - 1.0

    def line(self, text: str) -> None:
        """A line of its own, without secrets."""
        text = redacted(text)
        self._file.keep_private(text.encode("utf-8", "replace"))
        self._put(f"{_timestamp(time.time())}  {text}\n")

    def write(self, blocks: Sequence[RowBlock]) -> None:
        """The rows that came since the last call."""
        now = time.monotonic()
        waited, self._last_write = min(1.0, now - self._last_write), now
        if self._full:
            return
        shown = [b for b in gathered(blocks) if not all(self._skipped(name) for name in b.names)]
        if not shown:
            return
        merged = merge_rows(shown)
        total = len(merged.steps)
        count = min(total, max(1, round(waited * BLOCKS_PER_SECOND)))
        picks = ((np.arange(count) + 1) * total // count - 1).tolist()
        out = []
        before = -1
        for pick in picks:
            names: list[str] = []
            values: list[float] = []
            for block, place in zip(shown, merged.places, strict=True):
                for i in np.flatnonzero(place == pick):
                    names += block.names
                    values += block.values[i].tolist()
            at, step = float(merged.times[pick]), int(merged.steps[pick])
            left_out = pick - before - 1
            before = pick
            out.append(self._block(at, step, tuple(names), values, left_out))
        self._put("".join(out))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _put(self, text: str) -> None:
        if self._full:
            return
        self._file.write(text.encode("utf-8", "replace"))
        if self._file.size >= MAX_BYTES:
            self._full = True
            limit = MAX_BYTES // 1024 // 1024
            self._file.write(f"this log stops here, at {limit} MB; the run continues\n".encode())

    def _block(
        self, at: float, step: int, names: tuple[str, ...], values: list[float], left_out: int
    ) -> str:
        head = f"{_timestamp(at)}  step {step:,}"
        if left_out:
            head += f"  ({counted(left_out, 'update')} before it not shown)"
        lines = [head]
        for section, columns, labels in self._layout(names):
            cells = [f"{k} {number(values[i])}" for i, k in zip(columns, labels, strict=True)]
            lines += _wrapped(section, cells)
        hidden = sum(not self._skipped(name) for name in names) - MAX_VALUES
        if hidden > 0:
            lines.append(f"  {'':{_INDENT - 2}}+{hidden:,} more")
        return "\n".join(lines) + "\n"

    def _layout(self, names: tuple[str, ...]) -> list[tuple[str, list[int], list[str]]]:
        found = self._layouts.get(names)
        if found is None:
            sections: dict[str, list[int]] = {section: [] for section in SECTIONS}
            for i, name in enumerate(names):
                group = self._group(name)
                if group != "total":
                    sections[section_of(group, name)].append(i)
            kept = [(s, i) for s, columns in sections.items() for i in columns][:MAX_VALUES]
            labels = dict(
                zip((i for _, i in kept), short_names([names[i] for _, i in kept]), strict=True)
            )
            mine = {s: [i for other, i in kept if other == s] for s in SECTIONS}
            found = [(s, cols, [labels[i] for i in cols]) for s, cols in mine.items() if cols]
            if len(self._layouts) >= 256:
                self._layouts.clear()
            self._layouts[names] = found
        return found

    def _skipped(self, name: str) -> bool:
        # host metrics come at their own pace, and are not updates
        return self._group(name) in ("system", "total")


def section_of(group: str, name: str) -> str:
    """Which line of an update a metric belongs to.

    >>> section_of("health", "train/approx_kl"), section_of("health", "train/value_loss")
    ('kl/entropy', 'losses')
    >>> section_of("outcome", "reward/format"), section_of("outcome", "rollout/ep_rew_mean")
    ('rewards', 'outcome')
    """
    lowered = name.lower()
    if group in ("outcome", "health", "other"):
        if "loss" in lowered:
            return "losses"
        if any(word in lowered for word in ("kl", "entropy", "clip")) and group == "health":
            return "kl/entropy"
        if group != "health" and is_reward_part(lowered):
            return "rewards"
    return "rollout" if group == "data" else group


def _wrapped(section: str, cells: list[str]) -> list[str]:
    lines = []
    line = f"  {section:{_INDENT - 2}}"
    for i, cell in enumerate(cells):
        if i and len(line) + len(cell) + 2 > WIDTH:
            lines.append(line.rstrip())
            line = " " * _INDENT
        line += cell + "  "
    lines.append(line.rstrip())
    return lines


def _timestamp(at: float) -> str:
    try:
        return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "no time recorded   "
