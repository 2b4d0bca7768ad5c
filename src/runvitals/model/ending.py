"""How a run ended, in one word, from what its last lines say and the signal that ended it."""

from __future__ import annotations

import re
from typing import Literal

EndKind = Literal[
    "out of memory",
    "disk full",
    "device error",
    "not a number",
    "time limit",
    "killed",
    "keyboard",
    "native crash",
    "error",
]

_NATIVE = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE")
# In this order: a CUDA error that is about memory is about memory.
_SAID: tuple[tuple[EndKind, re.Pattern[str]], ...] = (
    (
        "out of memory",
        re.compile(
            r"out ?of ?memory|\boom\b|oom[-_ ]kill|memory limit|low on memory|\bMemoryError|"
            r"cannot allocate memory|RESOURCE_EXHAUSTED",
            re.IGNORECASE,
        ),
    ),
    ("disk full", re.compile(r"No space left on device|Disk quota exceeded")),
    (
        "not a number",
        re.compile(
            r"(?:loss|reward|return|grad\w*|logits|loc|probs|parameter|value|action|norm|kl|tensor)\b"
            r".{0,200}\b(?:nan|inf|non-?finite|not finite)\b|"
            r"\b(?:nan|inf|infinity|non-?finite|not finite)\b.{0,120}"
            r"\b(?:loss|reward|return|grad\w*|logits|probs|probability|parameter|value|action|norm|tensor)|"
            r"FloatingPointError|anomaly detected|returned nan values|found invalid values",
            re.IGNORECASE,
        ),
    ),
    (
        "device error",
        re.compile(
            r"CUDA error|CUDA driver|cudaError|CUBLAS_STATUS|CUDNN_STATUS|device-side assert|"
            r"illegal memory access|NCCL|nccl\w*Error|HIP error|XlaRuntimeError|"
            r"Watchdog caught collective operation timeout|uncorrectable ECC"
        ),
    ),
    ("time limit", re.compile(r"DUE TO TIME LIMIT|DUE TO PREEMPTION|the time limit of the job")),
    ("keyboard", re.compile(r"^KeyboardInterrupt\b")),
    (
        "killed",
        re.compile(r"CANCELLED AT|got signal: |^Killed\b|\bKilled$|SIGTERM|SignalException"),
    ),
    ("native crash", re.compile(r"Segmentation fault|core dumped|Bus error|^Aborted\b")),
)


def kind_of_ending(said: str, signal: str | None = None) -> EndKind | None:
    """What kind of end it was; None when it ended as it should, as far as can be told.

    >>> kind_of_ending("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB")
    'out of memory'
    >>> kind_of_ending("", "SIGTERM"), kind_of_ending("ValueError: no such file"), kind_of_ending("")
    ('killed', 'error', None)
    """
    if signal == "SIGINT":
        return "keyboard"
    for kind, pattern in _SAID:
        if pattern.search(said):
            return kind
    if signal in _NATIVE:
        return "native crash"
    if signal is not None:
        return "killed"
    return "error" if said else None
