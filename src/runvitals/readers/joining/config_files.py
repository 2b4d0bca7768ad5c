"""Settings that lie beside a log: config.yaml, args.json, .hydra/config.yaml and their kin."""

from pathlib import Path
from typing import Any

from runvitals.model import ReadError
from runvitals.readers.tabular._blocks import settings
from runvitals.readers.tabular._json import parse
from runvitals.store.files import read_stored
from runvitals.store.layout import PROGRESS_FILE

MAX_BYTES = 4 * 2**20
# The surest first: what the run was started with, then what a tool made of it.
NAMES = (
    ".hydra/config.yaml", "attrs/flags", "args.json", "args.yaml", "args.yml", "params.json",
    "hparams.yaml",
    "hyperparameters.json", "hyperparameters.yaml", "hyperparams.yaml", "training_args.json",
    "variant.json", "flags.json", "config.yaml", "config.yml", "configuration.yaml", "config.json",
)  # fmt: skip
# What the Trainer and LLaMA-Factory say about a run as a whole, once it has ended.
SUMMARIES = (
    "all_results.json", "train_results.json", "eval_results.json", "test_results.json",
    "predict_results.json",
)  # fmt: skip
_MODEL_KEYS = frozenset({"architectures", "model_type", "transformers_version"})


def config_in(folder: Path) -> dict[str, Any]:
    """All settings found, flat with dots; the surest file wins. What cannot be read is passed over."""
    found: dict[str, Any] = {}
    for name in NAMES:
        for key, value in settings(_read(folder / name)).items():
            found.setdefault(key, value)
    return found


def summary_in(folder: Path) -> dict[str, Any]:
    """Summary metrics from files that a trainer writes at the end."""
    found: dict[str, Any] = {}
    for name in SUMMARIES:
        for key, value in settings(_read(folder / name)).items():
            found.setdefault(key, value)
    return found


def progress_in(folder: Path) -> dict[str, Any]:
    """The progress file of a trainer; empty if there is none."""
    path = folder / PROGRESS_FILE
    try:
        return read_stored(path).content if path.is_file() else {}
    except ReadError:
        return {}  # passed over, as any of these files


def _read(path: Path) -> dict[str, Any]:
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return {}
        data = path.read_bytes()
        if path.suffix == ".json":
            content = parse(data)
        else:
            from runvitals.readers.raw.yaml_values import parse_simple_yaml  # slow to import

            content = parse_simple_yaml(data.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(content, dict) or _MODEL_KEYS & content.keys():
        return {}  # a model's description is not how it was trained
    return content
