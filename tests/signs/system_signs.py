"""Signs of speed, memory, lengths, turns and what is paid for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.signs.documents import FIRST_STEPS, GLOSSARY, RL_TABLE, TEACHER
from tests.signs.playing import Document, Sign, Tape

from runvitals.model import FloatArray

Play = Callable[[Tape, str], None]


def _drops(name: str, mild: float, strong: float, onset: float = 0.55, noise: float = 0.04) -> Play:
    """From an onset on, a series is at this share of its level; the strong one begins earlier."""

    def play(tape: Tape, strength: str) -> None:
        share, begin = (mild, onset) if strength == "mild" else (strong, onset - 0.15)
        level = float(np.median(tape.series[name]))
        tape.series[name] = tape.around(
            tape.from_then(begin, _all(tape, level), _all(tape, share * level)), noise
        )

    return play


def _loop_slows(mild: float, strong: float, onset: float = 0.55) -> Play:
    """All counters of the loop fall together, as they do when a step takes longer."""

    def play(tape: Tape, strength: str) -> None:
        for name in ("steps_per_second", "updates_per_second"):
            _drops(name, mild, strong, onset)(tape, strength)

    return play


def _tokens_per_second_drop(tape: Tape, strength: str) -> None:
    _drops("perf/throughput", 0.55, 0.25)(tape, strength)
    tape.series["timing_s/step"] = 2000.0 * 62.0 / tape.series["perf/throughput"]


def _drifts(name: str, mild: float, strong: float, noise: float = 0.05) -> Play:
    """Little by little a series goes to this many times its level."""

    def play(tape: Tape, strength: str) -> None:
        times, begin = (mild, 0.3) if strength == "mild" else (strong, 0.15)
        level = float(np.median(tape.series[name]))
        tape.series[name] = tape.around(tape.ramp(level, times * level, begin, 0.9), noise)

    return play


def _lies_at(name: str, mild: float, strong: float, noise: float = 0.05) -> Play:
    """A series at another level all along."""

    def play(tape: Tape, strength: str) -> None:
        tape.series[name] = tape.around(_all(tape, mild if strength == "mild" else strong), noise)

    return play


def _share_rises(name: str, mild: float, strong: float) -> Play:
    """A share, 0 to 1, that climbs from next to nothing."""

    def play(tape: Tape, strength: str) -> None:
        top, begin = (mild, 0.5) if strength == "mild" else (strong, 0.2)
        course = tape.ramp(0.0, top, begin, begin + 0.2)
        tape.series[name] = np.clip(course * np.exp(tape.noise(0.1)), 0.0, 1.0)

    return play


def _all(tape: Tape, level: float) -> FloatArray:
    return np.full(tape.updates, level)


def _episodes_jump(tape: Tape, strength: str) -> None:
    times, begin = (2.0, 0.6) if strength == "mild" else (0.2, 0.4)
    level = tape.from_then(begin, _all(tape, 120.0), _all(tape, 120.0 * times))
    tape.series["episode_length"] = tape.around(level, 0.05)


def _length_collapses_reward_rises(tape: Tape, strength: str) -> None:
    short = 130.0 if strength == "mild" else 30.0
    tape.series["response_length/mean"] = tape.around(tape.ramp(420.0, short, 0.1, 0.7), 0.05)
    tape.series["critic/rewards/mean"] = tape.ramp(0.25, 0.8) + tape.noise(0.02)
    tape.series["critic/score/mean"] = tape.series["critic/rewards/mean"]


def _turns_explode(tape: Tape, strength: str) -> None:
    most, begin = (20.0, 0.7) if strength == "mild" else (60.0, 0.4)
    level = tape.from_then(begin, _all(tape, 6.0), _all(tape, most))
    tape.series["num_turns/max"] = np.round(tape.around(level, 0.08))


def _tools_slow(tape: Tape, strength: str) -> None:
    seconds, begin = (6.0, 0.6) if strength == "mild" else (25.0, 0.4)
    level = tape.from_then(begin, _all(tape, 1.1), _all(tape, seconds))
    tools = tape.around(level, 0.08)
    tape.series["timing_s/agent_loop/tool_calls/mean"] = tools
    for name in ("timing_s/gen", "timing_s/step"):
        tape.series[name] = tape.series[name] + tools - 1.1


def _generation_slow(tape: Tape, strength: str) -> None:
    times, begin = (2.5, 0.6) if strength == "mild" else (6.0, 0.4)
    longer = tape.from_then(begin, _all(tape, 0.0), _all(tape, 34.0 * (times - 1.0)))
    for name in ("timing_s/gen", "timing_s/step"):
        tape.series[name] = tape.series[name] + longer * np.exp(tape.noise(0.04))
    tape.series["perf/throughput"] = 2000.0 * 62.0 / tape.series["timing_s/step"]


def _memory_full_by_long_sequences(tape: Tape, strength: str) -> None:
    times = 2.0 if strength == "mild" else 3.5
    for name in ("global_seqlen/max", "response_length/max", "response_length/mean"):
        tape.series[name] = tape.series[name] * tape.ramp(1.0, times, 0.3, 0.9)
    tape.series["perf/max_memory_allocated_gb"] = tape.around(tape.ramp(38.0, 77.0, 0.3, 0.9), 0.01)
    tape.series["System/GPU_Memory_Percent"] = np.minimum(
        99.5, tape.around(tape.ramp(48.0, 97.0, 0.3, 0.9), 0.01)
    )


def _weights_change(tape: Tape, strength: str) -> None:
    begin = 0.4 if strength == "mild" else 0.7
    more, less = (0.4, 0.2) if strength == "mild" else (0.6, 0.0)
    for name, level in (("Scoring/Correctness", more), ("Scoring/CodeQuality", less)):
        tape.series[name] = tape.from_then(begin, _all(tape, 0.3), _all(tape, level))


def _memory_high(tape: Tape, strength: str) -> None:
    level = 92.5 if strength == "mild" else 97.0
    tape.series["System/Memory_Percent"] = np.minimum(
        99.5, tape.ramp(62.0, level, 0.1, 0.5) + tape.noise(0.4)
    )


NEVER: tuple[str, ...] = ()


def _sign(
    document: Document,
    name: str,
    play: Play,
    *codes: str,
    settings: tuple[str, ...] = ("rising", "flat", "collapsing"),
    harm: tuple[str, ...] = ("flat", "collapsing"),
    says: tuple[str, ...] = (),
) -> Sign:
    return Sign(document, name, play, codes, settings=settings, harm=harm, says=says)


SIGNS = (
    _sign(FIRST_STEPS, "SPS drops by 40 % or 75 %", _loop_slows(0.6, 0.25), "PERF001"),
    _sign(FIRST_STEPS, "updates per second drop", _loop_slows(0.5, 0.2), "PERF001"),
    _sign(
        FIRST_STEPS,
        "updates per second are low",
        _lies_at("updates_per_second", 0.05, 0.01),
        "PERF002",
        harm=NEVER,
    ),
    _sign(FIRST_STEPS, "episode length jumps", _episodes_jump, "LEN006"),
    _sign(RL_TABLE, "query length drifts", _drifts("tokens/queries_len_mean", 2.0, 3.0), "LEN005"),
    _sign(
        RL_TABLE, "response length drifts", _drifts("tokens/responses_len_mean", 2.0, 3.0), "LEN005"
    ),
    _sign(
        RL_TABLE,
        "spread of lengths explodes",
        _drifts("tokens/responses_len_std", 4.0, 10.0),
        "LEN005",
    ),
    _sign(
        GLOSSARY,
        "rollouts are aborted",
        _share_rises("response/aborted_ratio", 0.15, 0.45),
        "LEN004",
    ),
    _sign(
        GLOSSARY,
        "reward rises while responses collapse",
        _length_collapses_reward_rises,
        "LEN003",
        harm=("flat", "collapsing"),
    ),
    _sign(
        GLOSSARY,
        "responses are cut off",
        _share_rises("response_length/clip_ratio", 0.25, 0.7),
        "LEN001",
    ),
    _sign(
        GLOSSARY,
        "prompts are cut off",
        _share_rises("prompt_length/clip_ratio", 0.12, 0.4),
        "LEN002",
    ),
    _sign(GLOSSARY, "most turns explode", _turns_explode, "AGT001"),
    _sign(GLOSSARY, "tool calls are slow", _tools_slow, "PERF003", says=("tool_calls",)),
    _sign(
        GLOSSARY,
        "devices are used badly",
        _lies_at("perf/mfu/actor", 0.25, 0.08),
        "PERF005",
        harm=NEVER,
    ),
    _sign(GLOSSARY, "training is slow", _generation_slow, "PERF001", says=("timing_s/gen",)),
    _sign(GLOSSARY, "throughput drops", _tokens_per_second_drop, "PERF001"),
    _sign(
        GLOSSARY,
        "memory runs full by long sequences",
        _memory_full_by_long_sequences,
        "SYS001",
        says=("global_seqlen/max", "response_length/max"),
    ),
    _sign(
        TEACHER,
        "generation below one token per second",
        _lies_at("Performance/Generation_TokensPerSec", 0.7, 0.2),
        "PERF005",
        says=("faster backend",),
    ),
    _sign(
        TEACHER,
        "generation speed drops",
        _drops("Performance/Generation_TokensPerSec", 0.4, 0.16),
        "PERF001",
    ),
    _sign(
        TEACHER,
        "backpropagation speed drops",
        _drops("Performance/Backprop_TokensPerSec", 0.4, 0.15),
        "PERF001",
    ),
    _sign(TEACHER, "memory above 90 %", _memory_high, "SYS001", harm=NEVER),
    _sign(
        TEACHER,
        "GPU used below 50 %",
        _lies_at("System/GPU_Utilization", 40.0, 15.0),
        "SYS002",
        harm=NEVER,
    ),
    _sign(TEACHER, "scoring weights change", _weights_change, "DATA009", harm=NEVER),
    _sign(TEACHER, "API tokens grow", _drifts("Epoch/APITokens", 1.7, 3.0), "SYS004", harm=NEVER),
)
