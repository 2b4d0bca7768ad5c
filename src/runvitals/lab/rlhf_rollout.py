"""What a language model is trained on with rewards: prompts, a start model, a tool, and generation.

The start model has seen answers that are often wrong and sometimes badly written: without their mark,
with two of them, or running on after the answer. So there is something to learn, and a wrong reward
finds something to exploit.
"""

from __future__ import annotations

import itertools
import time
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.lm import SequenceNet, base_model, judge, next_token, push, spoil
from runvitals.lab.nn import Adam, Array, clip_norm
from runvitals.lab.puzzles import (
    DIGITS,
    END,
    HELD_OUT,
    MARK,
    PAD,
    TOOL,
    VOCABULARY,
    Puzzle,
    Puzzles,
    Tokens,
    encode,
    puzzle,
)

Flags = NDArray[np.bool_]

TOOL_TASK = "tool-use"
SPARE = 6  # columns for a response beyond the longest right answer
TOOL_ROOM = 20  # columns for a response that may ask a tool
FOUND = encode(["=00"], 3)[0]  # a tool's reply, with the digits to come
FAILED = encode(["=[]"], 3)[0]
TEXTS = 4096  # that the start model reads, several times over
SLOPPY = 0.1  # share of each kind of bad writing that the start model has seen

_BASES: dict[str, dict[str, Any]] = {
    "sorting": {"steps": 200, "noise": 0.5},
    "brackets": {"steps": 250, "noise": 0.4},
    "addition": {"steps": 800, "noise": 0.3, "learning_rate": 1e-2, "batch": 64},
}


# the tasks


def task_of(name: str) -> Puzzle:
    """Prompts and right answers of a task; `sorting-rm` has those of `sorting`."""
    if name == TOOL_TASK:
        return lookup()
    return puzzle(name.removesuffix("-rm"))


def room_of(name: str) -> int:
    """Columns that a response may fill."""
    return TOOL_ROOM if name == TOOL_TASK else task_of(name).answer_width + SPARE


@lru_cache
def lookup() -> Puzzle:
    """Three digits, and two that a table gives for them: nobody can know them without asking."""
    rng = np.random.default_rng(20_260_102)
    keys = ["".join(digits) for digits in itertools.product("0123456789", repeat=3)]
    answers = [f"#{value:02d}." for value in rng.integers(0, 100, len(keys))]
    table = Puzzles(encode([f"{key}>" for key in keys], 4), encode(answers, 4))
    order = rng.permutation(len(keys))
    held_out = int(HELD_OUT * len(order))
    return Puzzle(TOOL_TASK, table.take(order[held_out:]), table.take(order[:held_out]))


class Tool:
    """Looks up what a prompt asks for; fails now and then, and may be asked again."""

    def __init__(self, failure_rate: float) -> None:
        self._failure_rate = failure_rate

    def __call__(self, answers: Tokens, rng: np.random.Generator) -> tuple[Tokens, Flags]:
        """The replies to those whose right answers these are, and which of them are failures."""
        fails = rng.random(len(answers)) < self._failure_rate
        found = np.tile(FOUND, (len(answers), 1))
        found[:, 1:] = answers[:, 1:3]
        return np.where(fails[:, None], FAILED, found), fails


# the start model


def start_model(name: str, seed: int) -> SequenceNet:
    """The model that training starts from; copy it before changing it."""
    return _start_model(task_of(name).name, seed)


@lru_cache(maxsize=8)
def _start_model(name: str, seed: int) -> SequenceNet:
    task, room = task_of(name), room_of(name)
    columns = task.prompt_width + room
    rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    model = SequenceNet(columns, VOCABULARY, rng)
    tool_task = name == TOOL_TASK
    if not tool_task:
        model.copy_from(base_model(task.name, columns, seed, **_BASES[task.name]))
    rows = task.train.take(rng.integers(0, len(task.train.prompts), TEXTS))
    if tool_task:
        written, own = _demonstrate(rows.answers, room, rng)
    else:
        written = _sloppy(spoil(rows.answers, _BASES[task.name]["noise"], rng), room, rng)
        own = written != PAD
    optimizer = Adam(model.params)
    steps, rate = (300, 3e-3) if tool_task else (80, 1e-3)
    for _ in range(steps):
        batch = rng.integers(0, TEXTS, 128)
        _fit_own(model, optimizer, rows.prompts[batch], written[batch], own[batch], rate)
    return model


def _sloppy(answers: Tokens, room: int, rng: np.random.Generator) -> Tokens:
    """The answers in wider rows, some of them badly written."""
    written = np.zeros((len(answers), room), np.int64)
    width = answers.shape[1]
    kind = rng.random(len(answers)) / SLOPPY
    for row, answer, which in zip(written, answers, kind, strict=True):
        row[:width] = answer
        length = int((answer != PAD).sum())
        if which < 1:  # no mark
            row[: width - 1], row[width - 1] = answer[1:], PAD
        elif which < 2:  # two marks
            row[1 : width + 1] = answer
            row[0] = MARK
        elif which < 3:  # goes on after the answer
            more = int(rng.integers(1, room - length + 1))
            row[length - 1 : length - 1 + more] = rng.integers(DIGITS.start, DIGITS.stop, more)
            row[length - 1 + more] = END
    return written


def _demonstrate(answers: Tokens, room: int, rng: np.random.Generator) -> tuple[Tokens, Flags]:
    """Answers of one who asks the tool half of the time, and often copies its reply wrongly."""
    written = np.zeros((len(answers), room), np.int64)
    own = np.zeros((len(answers), room), np.bool_)
    guesses = answers.copy()
    guesses[:, 1:3] = rng.integers(DIGITS.start, DIGITS.stop, (len(answers), 2))
    wrong = spoil(answers, 1.0, rng)
    for i, answer in enumerate(answers):
        calls, known = int(rng.random() < 0.5), False
        said: list[int] = []
        ours: list[bool] = []
        while calls and len(said) + 8 <= room:
            known = rng.random() < 0.75
            reply = [FOUND[0], *answer[1:3]] if known else FAILED.tolist()
            said += [TOOL, *reply]
            ours += [True, False, False, False]
            calls = int(rng.random() < (0.1 if known else 0.8))
        last = guesses[i] if not known else wrong[i] if rng.random() < 0.3 else answer
        said += last.tolist()
        ours += [True] * len(last)
        written[i, : len(said)] = said
        own[i, : len(said)] = ours
    return written, own


def _fit_own(
    model: SequenceNet, optimizer: Adam, prompts: Tokens, written: Tokens, own: Flags, rate: float
) -> None:
    """One step towards writing what is marked as one's own."""
    judged = judge(model, prompts, written)
    push(model, judged, written, np.where(own, -1.0 / own.sum(), 0.0).astype(np.float32))
    clip_norm(model.grads, 1.0)
    optimizer.step(model.grads, rate)


# generation


class Written(NamedTuple):
    """Responses with what a tool put into them, and how long each took."""

    tokens: Tokens  # filled up on the right
    own: Flags  # written by the model, and not by a tool; never true in the filling
    log_probs: Array  # of the model's own tokens, at the temperature used; 0 elsewhere
    turns: NDArray[np.int64]  # of user, model and tool together
    calls: NDArray[np.int64]  # of the tool
    failures: NDArray[np.int64]  # of the tool
    seconds: Array  # until each response ended
    tool_seconds: Array  # of it, in the tool


def generate(
    model: SequenceNet,
    rows: Puzzles,
    room: int,
    rng: np.random.Generator,
    *,
    temperature: float = 1.0,
    tool: Tool | None = None,
    runs_on: float = 0.0,
) -> Written:
    """Sample a response to each prompt.

    With a tool, its reply is put in after the token that asks for it, and the model goes on. A share
    `runs_on` of the responses is not stopped by the end token.
    """
    count, width = rows.prompts.shape
    began = time.perf_counter()
    state = model.begin(count)
    for column in range(width):
        outputs = model.add(state, column, rows.prompts[:, column])
    tokens = np.zeros((count, room), np.int64)
    own = np.zeros((count, room), np.bool_)
    log_probs = np.zeros((count, room), np.float32)
    told = np.full((count, room + len(FOUND)), -1)
    calls, failures = np.zeros((2, count), np.int64)
    seconds, tool_seconds = np.zeros((2, count))
    alive = np.ones(count, np.bool_)
    stops = rng.random(count) >= runs_on
    for t in range(room):
        choice = next_token(outputs, temperature)
        drawn = choice.sample(rng)
        own[:, t] = mine = alive & (told[:, t] < 0)
        tokens[:, t] = np.where(mine, drawn, np.where(alive, told[:, t], PAD))
        log_probs[:, t] = np.where(mine, choice.log_prob(drawn), 0.0)
        if tool is not None and (asking := np.flatnonzero(mine & (drawn == TOOL))).size:
            asked = time.perf_counter()
            told[asking, t + 1 : t + 1 + len(FOUND)], failed = tool(rows.answers[asking], rng)
            calls[asking] += 1
            failures[asking] += failed
            tool_seconds[asking] += (time.perf_counter() - asked) / len(asking)
        alive &= ~(mine & (drawn == END) & stops)
        seconds[alive] = time.perf_counter() - began
        if not alive.any():
            break
        if t + 1 < room:
            outputs = model.add(state, width + t, tokens[:, t])
    seconds[seconds == 0.0] = time.perf_counter() - began
    own &= tokens != PAD
    return Written(tokens, own, log_probs, 2 + 2 * calls, calls, failures, seconds, tool_seconds)


def without(written: Written, lost: Flags) -> Written:
    """The same with some responses empty, as after a failure of the engine."""
    here = ~lost
    return written._replace(
        tokens=written.tokens * here[:, None],
        own=written.own & here[:, None],
        log_probs=written.log_probs * here[:, None].astype(np.float32),
    )


def last_words(written: Written) -> Tokens:
    """What each response says after the last reply of a tool."""
    tokens, own = written.tokens, written.own
    columns = np.arange(tokens.shape[1])
    replied = (tokens != PAD) & ~own
    start = np.where(replied, columns + 1, 0).max(axis=1)
    at = start[:, None] + columns
    padded = np.pad(tokens, ((0, 0), (0, tokens.shape[1])))
    return np.take_along_axis(padded, at, axis=1)
