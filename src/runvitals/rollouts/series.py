"""Turns what a model wrote into series: the share of texts with a fault, stretch by stretch.

From here on text is judged, drawn and compared like everything else that a run logs.
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from runvitals.model import Binding, Digest, Quote, Rollout, RowBlock, Run, Stretch
from runvitals.rollouts.digest import digest_of
from runvitals.rollouts.gain import gains_of
from runvitals.rollouts.measures import FAULTS, has_answer, shingles

DUPLICATES = "text/duplicate_share"
CUT = "length/response_clip_ratio"  # as trainers log it, from what the texts themselves say
# of the word triples of two texts: the same answer in other words has far fewer in common
ALIKE = 0.9
MAX_QUOTE = 160  # characters
MARKED = 0.3  # of the texts of some stretch mark their answer: then a text without a mark lacks one

REST = 20.0  # times as long as reading all samples took, a run that goes on is not read again

Known = dict[int, tuple[Stretch, dict[str, float]]]  # by the id of a stretch
_Applies = Callable[[Sequence[Rollout]], bool]


def _thinks(rollouts: Sequence[Rollout]) -> bool:
    return any("<think" in one.completion.lower() for one in rollouts)


def _marks_answers(rollouts: Sequence[Rollout]) -> bool:
    return sum(has_answer(one.completion) for one in rollouts) > MARKED * len(rollouts)


def _calls_tools(rollouts: Sequence[Rollout]) -> bool:
    return any(turn.calls or turn.role == "tool" for one in rollouts for turn in one.turns)


def _has_prompts(rollouts: Sequence[Rollout]) -> bool:
    return any(one.prompt for one in rollouts)


# When a fault can occur at all: without that, its share is not known to be zero, it is not known.
_APPLIES: dict[str, _Applies] = {
    "text/copied_share": _has_prompts,
    "text/mixed_scripts_share": _has_prompts,
    "text/unfinished_reasoning_share": _thinks,
    "text/bare_answer_share": _marks_answers,
    "text/no_answer_share": _marks_answers,
    "text/tool_loop_share": _calls_tools,
    "text/tool_error_share": _calls_tools,
}


def with_text(run: Run) -> Run:
    """The run with what can be measured of its texts among its series.

    Itself if it has no texts, or if they are there already. A run that goes on is read again only
    after many times as long as that took.
    """
    if run.read_samples is None or run.digest is not None:
        return run
    last = run.last_digest
    may_go_on = run.status in ("running", "unknown")
    if not may_go_on or time.monotonic() >= last.until:
        begun = time.monotonic()
        last.digest = digest_of(run)
        last.until = time.monotonic() + REST * (time.monotonic() - begun)
    return run if last.digest is None else with_digest(run, last.digest)


def with_digest(run: Run, digest: Digest, known: Known | None = None) -> Run:
    """The run with what can be measured of these texts among its series.

    `known` keeps what was measured of a stretch for the next time.
    """
    shares = {**shares_of(digest, known), **gains_of(digest)}
    if CUT not in run and any(_known_cuts(one) for one in digest.stretches):
        shares[CUT] = [_mean(_known_cuts(one)) for one in digest.stretches]
    points = run.points
    for name, row in shares.items():
        ends = (one.last for one in digest.stretches)
        found = [(end, value) for end, value in zip(ends, row, strict=True) if value == value]
        steps = np.array([step for step, _ in found], np.int64)
        values = np.array([[value] for _, value in found], np.float64).reshape(-1, 1)
        points = points.extended(RowBlock((name,), steps, np.full(len(steps), np.nan), values))
    wider = replace(run, points=points, digest=digest)
    wider.bind({**run.bindings, **{name: Binding(name) for name in shares}})
    return wider


def shares_of(digest: Digest, known: Known | None = None) -> dict[str, list[float]]:
    """By metric, the share of the texts of each stretch that have the fault."""
    before = known or {}
    rows = {id(one): before.get(id(one)) or (one, _shares(one)) for one in digest.stretches}
    if known is not None:
        known.clear()
        known.update(rows)
    found = {metric: [row[metric] for _, row in rows.values()] for metric in (*FAULTS, DUPLICATES)}
    for metric, applies in _APPLIES.items():
        if not any(applies(one.kept) for one in digest.stretches):
            del found[metric]
    if all(math.isnan(share) for share in found[DUPLICATES]):
        del found[DUPLICATES]
    return found


def _shares(stretch: Stretch) -> dict[str, float]:
    shares = {metric: _mean(map(fault, stretch.kept)) for metric, fault in FAULTS.items()}
    return {**shares, DUPLICATES: _duplicates(stretch)}


def _known_cuts(stretch: Stretch) -> list[bool]:
    """Whether each text was cut off, where its finish reason tells."""
    return [one.cut for one in stretch.kept if one.cut is not None]


def _mean(found: Iterable[bool]) -> float:
    values = list(found)
    return sum(values) / len(values) if values else float("nan")


def _duplicates(stretch: Stretch) -> float:
    """Share of the texts that nearly stand a second time in their own group; NaN without groups."""
    groups: dict[tuple[int, str], list[frozenset[int]]] = {}
    for one in stretch.kept:
        groups.setdefault((one.step, one.group), []).append(shingles(one.completion))
    members = [group for group in groups.values() if len(group) > 1]
    twins = sum(
        any(i != j and _alike(one, other) for j, other in enumerate(group))
        for group in members
        for i, one in enumerate(group)
    )
    total = sum(map(len, members))
    return twins / total if total else float("nan")


def _alike(one: frozenset[int], other: frozenset[int]) -> bool:
    return one == other or len(one & other) >= ALIKE * len(one | other)


def quotes(digest: Digest, metric: str, first: int, last: int, most: int = 2) -> list[Quote]:
    """Different texts with a fault between two steps, in one line each; those that paid most first."""
    fault = _is_cut if metric == CUT else FAULTS.get(metric)
    if fault is None:
        return []
    found = [one for one in digest.rollouts(first, last) if fault(one)]
    found.sort(key=lambda one: (-one.reward if one.reward == one.reward else 0.0, one.step))
    different = {one.completion[:MAX_QUOTE]: one for one in reversed(found)}
    chosen = list(reversed(different.values()))[:most]
    return [Quote(one.id, quoted(one, its_end=metric == CUT)) for one in chosen]


def _is_cut(one: Rollout) -> bool:
    return bool(one.cut)


def quoted(one: Rollout, *, its_end: bool = False) -> str:
    """A rollout in one line: its step, its reward, and the beginning of its text, or its end."""
    shown = " ".join(one.completion.split())
    shown = "".join(c if c.isprintable() else "\ufffd" for c in shown)
    if len(shown) > MAX_QUOTE:
        shown = f"…{shown[-MAX_QUOTE:]}" if its_end else f"{shown[:MAX_QUOTE]}…"
    paid = "" if one.reward != one.reward else f", reward {one.reward:.4g}"
    return f"step {one.step:,}{paid}: {shown or '(empty)'}"
