"""Console output of a training that died before it logged anything: only its last words are read."""

import re
from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.console._end import ending_of
from runvitals.readers.console._lines import died
from runvitals.readers.console._sniff import is_json, is_text
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import uncompressed_name

ID = "failed-console"

_NAMED = re.compile(r".*\.(log|out|err)|nohup.*|(?:train|slurm|console|output|log|std)[\w-]*\.txt")
_TRAINING = re.compile(
    rb"\b(?:torch|tensorflow|jax|transformers|deepspeed|CUDA|cuda|accelerate|stable_baselines3|gymnasium|"
    rb"wandb|[Ee]pochs?|[Tt]rainer|training|train\.py|optimizer|slurmstepd|flax|keras|trl|verl|vllm|loss|"
    rb"TaskRunner|torchrun|GPUs?)\b"
)
_MIN_SIGNS = 2  # different words that say that a training was meant


def sniff(path: Path, head: bytes) -> int:
    """Text of a training's program that ends in an error; beside its output it is a part of that."""
    if not _NAMED.fullmatch(uncompressed_name(path)) or not is_text(head) or is_json(head):
        return 0
    signs = set(_TRAINING.findall(head[: 2**15] + head[-(2**15) :]))
    if len(signs) < _MIN_SIGNS:
        return 0
    beside = [path.with_suffix(suffix) for suffix in (".out", ".log", ".txt")]
    if path.suffix == ".err" and any(map(Path.is_file, beside)):
        return 0
    return 4 if ending_of(path) else 0


def read(path: Path) -> list[Log]:
    """Raises `ReadError` with the reason why the training failed."""
    ending = ending_of(path)
    raise died(path, ending) if ending else ReadError(path, "no metrics were logged")


READER = Reader(
    ID,
    "console log of a training that failed before its first metrics",
    sniff,
    read,
    role="side",
    at_most=4,
)
