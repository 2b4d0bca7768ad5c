"""Episodes of prime-rl (`rollouts/step_N/train/all/traces.jsonl`) and of `verifiers`, one a line."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runvitals.readers.samples._rollouts import Row, rollouts_reader
from runvitals.readers.samples.jsonl_rollouts import json_rows
from runvitals.readers.tabular.json_lines import objects

_LIMITS = frozenset(
    {"max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens", "context_length"}
)  # why `verifiers` stops a trace


def sniff(path: Path, head: bytes) -> int:
    """By its name, and the fields that every episode begins with, however long its first line is."""
    if path.name != "traces.jsonl":
        return 0
    rows = objects(head)
    known = _is_episode(rows[0]) if rows else b'"env"' in head and b'"task"' in head
    return 97 if known else 0


def _is_episode(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("traces"), list) and "task" in row


def _rows(path: Path) -> Iterator[Row]:
    for episode in json_rows(path):
        if not _is_episode(episode):
            continue
        shared = _work(episode)
        if (group := _mapping(episode.get("group")).get("id")) is not None:
            shared["group"] = group
        for trace in episode["traces"]:
            if _mapping(trace.get("agent")).get("trainable", True):
                yield {**shared, **_fields(trace)}


def _work(episode: Mapping[str, Any]) -> dict[str, object]:
    """The step at which it was asked for, and whether as an evaluation."""
    run = _mapping(episode.get("run"))
    work = _mapping(run.get("work"))
    kind = work.get("type", run.get("type"))
    step = {"step": work["step"]} if "step" in work else {}
    return {**step, **({"split": "eval"} if kind == "eval" else {})}


def _fields(trace: Mapping[str, Any]) -> dict[str, object]:
    nodes = [_mapping(node) for node in trace.get("nodes") or ()]
    begun = next((n for n, node in enumerate(nodes) if node.get("sampled")), len(nodes))
    told = " ".join(_text(node) for node in nodes[:begun])
    asked = _mapping(_mapping(trace.get("task")).get("data")).get("prompt")
    calls = [_mapping(call) for call in trace.get("calls") or ()]
    used = [_mapping(call.get("usage")).get("completion_tokens") for call in calls]
    counted = [count for count in used if isinstance(count, int)]
    ended = [call.get("finish_reason") for call in calls if not call.get("error")]
    rewards = {
        f"reward/{name}": one["score"] * one.get("weight", 1.0)
        for name, one in _mapping(trace.get("rewards")).items()
        if isinstance(one, Mapping) and isinstance(one.get("score"), int | float)
    }
    return {
        "prompt": told or (asked if isinstance(asked, str) else ""),
        "completion": [_message(node) for node in nodes[begun:]],
        "reward": sum(rewards.values()) if rewards else None,
        "tokens": sum(counted) if counted else None,
        "truncated": trace.get("stop_condition") in _LIMITS or ended[-1:] == ["length"],
        **(rewards if len(rewards) > 1 else {}),
        **{k: v for k, v in _mapping(trace.get("metrics")).items() if v is not None},
    }


def _message(node: Mapping[str, Any]) -> dict[str, object]:
    """A message with its reasoning marked as models mark it themselves."""
    message = _mapping(node.get("message"))
    thought = message.get("reasoning_content")
    text = _text(node)
    said = f"<think>{thought}</think>{text}" if thought else text
    calls = message.get("tool_calls") or []
    return {"role": message.get("role"), "content": said, "tool_calls": calls}


def _text(node: Mapping[str, Any]) -> str:
    content = _mapping(node.get("message")).get("content")
    if isinstance(content, list):
        return " ".join(str(_mapping(part).get("text", "")) for part in content)
    return content if isinstance(content, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


READER = rollouts_reader("episodes", "Episodes", sniff, _rows)
