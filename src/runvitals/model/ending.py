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
_SAID: dict[EndKind, str] = {
    "out of memory": r"(?i)out ?of ?memory|\boom\b|oom[-_ ]kill|memory limit|low on memory|"
    r"\bMemoryError|cannot allocate memory|RESOURCE_EXHAUSTED",
    "disk full": r"No space left on device|Disk quota exceeded",
    "not a number": r"(?i)(?:loss|reward|return|grad\w*|logits|loc|probs|parameter|value|action|norm|kl"
    r"|tensor)\b.{0,200}\b(?:nan|inf|non-?finite|not finite)\b|"
    r"\b(?:nan|inf|infinity|non-?finite|not finite)\b.{0,120}"
    r"\b(?:loss|reward|return|grad\w*|logits|probs|probability|parameter|value|action|norm|tensor)|"
    r"FloatingPointError|anomaly detected|returned nan values|found invalid values",
    "device error": r"CUDA error|CUDA driver|cudaError|CUBLAS_STATUS|CUDNN_STATUS|device-side assert|"
    r"illegal memory access|NCCL|nccl\w*Error|HIP error|XlaRuntimeError|"
    r"Watchdog caught collective operation timeout|uncorrectable ECC",
    "time limit": r"DUE TO TIME LIMIT|DUE TO PREEMPTION|the time limit of the job",
    "keyboard": r"^KeyboardInterrupt\b",
    "killed": r"CANCELLED AT|got signal: |^Killed\b|\bKilled$|SIGTERM|SignalException",
    "native crash": r"Segmentation fault|core dumped|Bus error|^Aborted\b",
}


def kind_of_ending(said: str, signal: str | None = None) -> EndKind | None:
    """What kind of end it was; None when it ended as it should, as far as can be told.

    >>> kind_of_ending("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB")
    'out of memory'
    >>> kind_of_ending("", "SIGTERM"), kind_of_ending("ValueError: no such file"), kind_of_ending("")
    ('killed', 'error', None)
    """
    if signal == "SIGINT":
        return "keyboard"
    for kind, pattern in _SAID.items():
        if re.search(pattern, said):
            return kind
    if signal in _NATIVE:
        return "native crash"
    if signal is not None:
        return "killed"
    return "error" if said else None
