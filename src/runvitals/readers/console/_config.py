"""Finds settings in console output: argument dumps, config dicts, command lines."""

import re
from typing import Any

from runvitals.readers.raw.literals import flatten, parse_literal

_MAX_KEYS = 5_000
_MAX_DUMP_LENGTH = 512 * 2**10
_MAX_LINES = 8_000
_TELLING = frozenset(
    {
        "lr", "learning_rate", "batch_size", "train_batch_size", "train_micro_batch_size_per_gpu",
        "per_device_train_batch_size", "optimizer", "gamma", "seed", "epochs", "num_epochs",
        "num_train_epochs", "total_timesteps", "max_steps", "clip_ratio", "clip_range", "model_name",
        "model_name_or_path", "model_path", "env_id", "env_name", "n_steps", "gradient_clipping",
    }
)  # fmt: skip
_CALL = re.compile(r"\b((?:Namespace|[A-Z]\w{0,60}(?:Arguments|Args|Config))\()")
_OPENING, _CLOSING = "{[(", "}])"
# Hugging Face's header: "  Num examples = 7,473"
_HEADER = re.compile(
    r"\s*(Num examples|Num Epochs|Num update steps per epoch|Instantaneous batch size per device|"
    r"Total train batch size[^=]{0,80}|Gradient Accumulation steps|Total optimization steps|"
    r"Number of trainable parameters)\s*=\s*([\d,]{1,20})\s*"
)
_HEADER_NAMES = {
    "Num examples": "num_examples",
    "Num Epochs": "num_train_epochs",
    "Num update steps per epoch": "steps_per_epoch",
    "Instantaneous batch size per device": "per_device_train_batch_size",
    "Gradient Accumulation steps": "gradient_accumulation_steps",
    "Total optimization steps": "max_steps",
    "Number of trainable parameters": "trainable_parameters",
}
_COMMAND = re.compile(r"\bpython[\d.]*\s+(?:-\w\s+)*\S")
_OVERRIDE = re.compile(r"(?<!\S)\+{0,2}([A-Za-z_]\w{0,80}(?:\.\w{1,80}){1,10})=(\S{1,400})")
_FLAG = re.compile(r"(?<!\S)--([A-Za-z][\w-]{1,80})(?:=|\s+)([^\s-]\S{0,300}|-\d\S{0,30})")


class ConfigHarvester:
    """Takes lines, keeps the settings among them in `config`, flat with dots.

    Multi-line dumps are followed by bracket depth among the lines of one prefix (one process), within
    bounds; what does not read as a literal is left out.
    """

    def __init__(self) -> None:
        self.config: dict[str, Any] = {}
        self._open: list[str] = []
        self._size = 0
        self._depth = 0
        self._prefix = ""
        self._call = False
        self._seen = 0

    def feed(self, text: str, prefix: str, training: bool) -> None:
        """Takes a line; during `training`, only complete argument dumps are looked for."""
        if self._open:
            if prefix == self._prefix:
                self._go_on(text)
            return
        if "(" in text and (call := _CALL.search(text)):
            self._begin(text[call.start(1) :], prefix, call=True)
            return
        if training or self._seen > _MAX_LINES:
            return
        self._seen += 1
        stripped = text.strip()
        if stripped.startswith(("{'", '{"')) or stripped == "{":
            self._begin(stripped, prefix)
        elif "=" in text:
            if header := _HEADER.fullmatch(text):
                name = header[1].strip()
                name = _HEADER_NAMES.get(name, "total_train_batch_size")
                self._keep({name: int(header[2].replace(",", "") or 0)})
            elif len(text) < 2**15 and _COMMAND.search(text):
                self._command(text)
        elif "--" in text and len(text) < 2**15 and _COMMAND.search(text):
            self._command(text)

    def _begin(self, text: str, prefix: str, call: bool = False) -> None:
        self._open, self._size, self._depth = [], 0, 0
        self._prefix, self._call = prefix, call
        self._go_on(text)

    def _go_on(self, text: str) -> None:
        self._open.append(text)
        self._size += len(text) + 1
        self._depth += sum(map(text.count, _OPENING)) - sum(map(text.count, _CLOSING))
        if self._depth <= 0:
            found = parse_literal("\n".join(self._open))
            settings = flatten(found[0]) if found and isinstance(found[0], dict) else {}
            # a sample or a message with a dict in it holds none of these
            if self._call or any(name.rpartition(".")[2] in _TELLING for name in settings):
                self._keep(settings)
            self._open = []
        elif self._size > _MAX_DUMP_LENGTH or len(self._open) > _MAX_LINES:
            self._open = []

    def _command(self, text: str) -> None:
        for pattern in (_OVERRIDE, _FLAG):
            self._keep({m[1].replace("-", "_"): _scalar(m[2]) for m in pattern.finditer(text)})

    def _keep(self, found: dict[str, Any]) -> None:
        for name, value in found.items():
            if name in self.config or len(self.config) < _MAX_KEYS:
                self.config[name] = value[:2000] if isinstance(value, str) else value


def _scalar(text: str) -> Any:
    found = parse_literal(text.strip("'\"")) if len(text) < 300 else None
    return text if found is None or found[1] != len(text.strip("'\"")) else found[0]
