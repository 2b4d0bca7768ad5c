"""Reads logged samples as rollouts: every tool calls their fields differently."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from runvitals.model import Rollout, Sample, Turn

# Names as tools write them, in the order in which they are believed.
_PROMPT = ("prompt", "input", "query", "question", "instruction", "prompts", "problem",
           "user_prompt", "prompt_text", "input_text")  # fmt: skip
_COMPLETION = (
    "completion", "output", "response", "completions", "model_response", "generated_text",
    "responses", "generation", "decoded_completion", "raw_completion", "raw_generation", "raw_output",
    "model_output", "output_text", "generated_response", "label_response", "prediction", "text",
    "answer",
)  # fmt: skip
_REWARD = ("reward", "score", "rewards", "total_reward", "scores", "reward_score", "return",
           "scalar_reward", "reward_total", "episode_reward")  # fmt: skip
_OF_GROUP = re.compile(r"(?<=.)_\d+_\d+$")  # which sample of the group: veRL's keys end so
_GROUP = ("group", "group_id", "uid", "prompt_id", "problem_id", "example_id", "index")
_FINISH = ("finish_reason", "stop_reason", "finish", "stopped_by", "stop_condition")
_TRUNCATED = ("truncated", "is_truncated", "overlong", "cut")
_TOKENS = ("tokens", "length", "completion_length", "response_length", "num_tokens", "seq_len",
           "completion_tokens", "output_length", "generated_tokens", "exact_token_count")  # fmt: skip
_CORRECT = ("acc", "accuracy", "correct", "is_correct", "passed", "solved", "success")
_RIGHT = re.compile(r"correct|accura|exact_match|(?:^|_)acc(?:$|_)", re.I)  # parts that say so
_ADVANTAGE = ("advantage", "advantages")  # beside it, TRL has a column for each reward function
_SPLIT = ("split", "phase", "dataset_split", "mode")
_HELD_OUT = frozenset({"eval", "evaluation", "val", "validation", "test"})
_RANK = ("rank", "worker", "process_index")
_OTHERS = frozenset({"user", "human", "system", "tool", "function", "observation"})
_CUT = frozenset({"length", "max_tokens", "max_length", "truncated", "overlong", "cut"})
_TURN_TEXT = ("content", "text", "value")
_NOT_PARTS = frozenset(
    {"step", "epoch", "advantage", "advantages", "time", "timestamp", "seed", "global_step", "id",
     "iteration", "temperature", "index"}
)  # fmt: skip


@dataclass(frozen=True)
class _Fields:
    """Which fields of a sample hold what, in the order in which they are believed."""

    prompt: tuple[str, ...]
    completion: tuple[str, ...]
    reward: tuple[str, ...]
    group: tuple[str, ...]
    finish: tuple[str, ...]
    truncated: tuple[str, ...]
    tokens: tuple[str, ...]
    correct: tuple[str, ...]
    split: tuple[str, ...]
    rank: tuple[str, ...]
    parts: tuple[str, ...]


@lru_cache(maxsize=256)
def _fields_of(names: tuple[str, ...]) -> _Fields:
    """Samples of one run have the same fields: they are looked up once."""
    spelled = {name.strip().lower(): name for name in reversed(names)}

    def among(known: Iterable[str]) -> tuple[str, ...]:
        return tuple(spelled[name] for name in known if name in spelled)

    columns = not spelled.keys().isdisjoint(_ADVANTAGE)
    taken = {*_REWARD, *_NOT_PARTS, *_TOKENS, *_PROMPT, *_COMPLETION, *_GROUP, *_RANK}
    taken |= set() if columns else set(_CORRECT)
    parts = [
        spelled[name]
        for name in spelled
        if name not in taken and (columns or "reward" in name or "score" in name)
    ]
    return _Fields(
        prompt=among(_PROMPT),
        completion=(*among(_COMPLETION), *among(("messages",))),
        reward=among(_REWARD),
        group=among(_GROUP),
        finish=among(_FINISH),
        truncated=among(_TRUNCATED),
        tokens=among(_TOKENS),
        correct=among(_CORRECT),
        split=among(_SPLIT),
        rank=among(_RANK),
        parts=tuple(reversed(parts)),
    )


def rollout_of(sample: Sample) -> Rollout | None:
    """A logged sample as a rollout; None if it holds nothing that a model wrote."""
    row = sample.fields
    names = _fields_of(tuple(row))
    written = _first(row, names.completion)
    turns = () if isinstance(written, str) else _turns(written)
    completion = written if isinstance(written, str) else _spoken(turns)
    if completion is None:
        return None
    asked, group = _first(row, names.prompt), _first(row, names.group)
    prompt = asked if isinstance(asked, str) else _spoken(_turns(asked)) or _first_asked(turns)
    finish = _first(row, names.finish)
    truncated = _number(_first(row, names.truncated))
    parts = _parts(row, names.parts)
    reward = _number(_first(row, names.reward))
    correct = _number(_first(row, names.correct))
    if math.isnan(correct):
        correct = next((value for name, value in parts.items() if _RIGHT.search(name)), math.nan)
    if math.isnan(reward):
        reward = sum(parts.values()) if parts else correct
    rank = _number(_first(row, names.rank))
    return Rollout(
        step=sample.step,
        prompt=prompt,
        completion=completion,
        reward=reward,
        parts=parts or None,
        tokens=_number(_first(row, names.tokens)),
        correct=correct,
        cut=_is_cut(finish) if finish else None if math.isnan(truncated) else truncated > 0,
        group=prompt if group is None else _OF_GROUP.sub("", str(group)),
        rank=None if math.isnan(rank) else int(rank),
        held_out=str(_first(row, names.split) or "").lower() in _HELD_OUT,
        turns=turns,
    )


def _is_cut(finish: object) -> bool:
    return str(finish).lower() in _CUT


def _first_asked(turns: Sequence[Turn]) -> str:
    """What stands in a conversation before the model speaks."""
    asked = takewhile(lambda turn: turn.role in _OTHERS, turns)
    return " ".join(turn.text for turn in asked)


def _spoken(turns: Sequence[Turn]) -> str | None:
    """What the model said in a conversation, or all of it where nobody else speaks."""
    mine = [turn.text for turn in turns if turn.role not in _OTHERS] or [t.text for t in turns]
    return " ".join(mine) if turns else None


def is_written(names: Iterable[str]) -> bool:
    """True if one of these fields is a text of a model and another one its score."""
    known = [str(name).strip().lower() for name in names]
    return any(name in known for name in _COMPLETION) and scores_in(known)


def is_rollout(names: Iterable[str]) -> bool:
    """True if these are the fields of rollouts: something asked, something written, a score."""
    known = {str(name).strip().lower() for name in names}
    asked = any(name in known for name in _PROMPT)
    written = any(name in known for name in _COMPLETION)
    return asked and written and known.isdisjoint({"chosen", "rejected"})


def scores_in(names: Iterable[str]) -> bool:
    """True if one of these fields is a reward, a score, or a part of one."""
    known = {str(name).strip().lower() for name in names}
    return not known.isdisjoint((*_REWARD, *_CORRECT, *_ADVANTAGE)) or any(
        "reward" in name or "score" in name for name in known
    )


def _first(fields: Mapping[str, object], names: Iterable[str]) -> object:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _turns(value: object) -> tuple[Turn, ...]:
    if isinstance(value, Mapping):
        value = [value]
    if not isinstance(value, list | tuple):
        return ()
    found = [_turn(one) for one in value if isinstance(one, Mapping)]
    return tuple(turn for turn in found if turn is not None)


def _turn(message: Mapping[str, object]) -> Turn | None:
    text = _first(message, _TURN_TEXT)
    role = message.get("role") or message.get("from") or "assistant"
    calls = message.get("tool_calls")
    names = tuple(map(_call, calls)) if isinstance(calls, list | tuple) else ()
    if text is None and not names:
        return None
    return Turn(str(role).lower(), text if isinstance(text, str) else "", names)


def _call(call: object) -> str:
    """A tool call as one string, so that the same call is the same string."""
    if isinstance(call, Mapping):
        inner = call.get("function")
        inner = inner if isinstance(inner, Mapping) else call
        return f"{inner.get('name')}({inner.get('arguments', inner.get('args'))})"
    return str(call)


def _number(value: object) -> float:
    if isinstance(value, bool | int | float):
        return float(value)
    if isinstance(value, list | tuple) and len(value) == 1:
        return _number(value[0])
    return math.nan


def _parts(row: Mapping[str, object], names: Iterable[str]) -> dict[str, float]:
    """Named scores: fields that say reward or score, and those of reward functions of a table."""
    found: dict[str, float] = {}
    for name in names:
        value = row[name]
        if isinstance(value, Mapping):
            found |= {str(k): _number(v) for k, v in value.items() if _is_number(v)}
        elif _is_number(value):
            found[name] = _number(value)
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
