"""What lies beside a log and says what was trained: titles, a model card, a model's own config."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from runvitals.model import Run
from runvitals.readers.raw import source
from runvitals.readers.tabular._json import parse

_MAX_BYTES = 64 * 1024  # bytes of a card or a config that are looked at
_TAG = re.compile(r"^\s*-\s+([\w./ -]{1,60})\s*$")
_CHECKPOINT = re.compile(r"(?:checkpoint|global_step|step|epoch|version|run)[_-]?\d+")
_SPOKEN_BY_TOOLS = re.compile(r"events\.out\.|trainer_(?:state|log)|progress\.|metrics\.|log\.")


@dataclass(frozen=True, slots=True)
class Beside:
    """What a model card is tagged with, and whether the model predicts tokens; None if unknown."""

    tags: tuple[str, ...] = ()
    language_model: bool | None = None


def titles_of(run: Run) -> tuple[str, ...]:
    """What the run, its file and the folders above it are called, the nearest first."""
    found = [run.name]
    if run.path is not None:
        path = run.path.resolve()
        found += [path.name, path.parent.name, path.parent.parent.name]
    return tuple(
        dict.fromkeys(title for title in found if title and not _SPOKEN_BY_TOOLS.match(title))
    )


def beside(run: Run) -> Beside:
    """What the card and the config of the model say, in the run's folder or above a checkpoint."""
    if run.path is None:
        return Beside()
    folder = run.path if run.path.is_dir() else run.path.parent
    folders = [folder]
    if _CHECKPOINT.fullmatch(folder.resolve().name):
        folders.append(folder.resolve().parent)
    tags: list[str] = []
    language: bool | None = None
    for one in folders:
        tags += _card_tags(one / "README.md")
        if language is None:
            language = _language_model(one)
    return Beside(tuple(dict.fromkeys(tags)), language)


def _card_tags(path: Path) -> list[str]:
    """The tags in the head of a model card: `trl`, `dpo`, `llama-factory`."""
    text = _text(path)
    if not text.startswith("---"):
        return []
    head = text[3:].partition("\n---")[0]
    return [found[1] for line in head.splitlines() if (found := _TAG.match(line))]


def _language_model(folder: Path) -> bool | None:
    """Whether the model beside the log predicts tokens; None if it does not say."""
    for name, key in (("adapter_config.json", "task_type"), ("config.json", "architectures")):
        try:
            content = parse(_text(folder / name).encode())
        except (ValueError, RecursionError):
            continue
        said = str(content.get(key) or "") if isinstance(content, dict) else ""
        if re.search(r"ForCausalLM|CAUSAL_LM|LMHead|ForConditionalGeneration|SEQ_2_SEQ_LM", said):
            return True
        if re.search(r"For\w*Classification|_CLS|For\w*Detection|ForQuestionAnswering", said):
            return False
    return None


def _text(path: Path) -> str:
    return source.head(path, _MAX_BYTES).decode("utf-8", "replace") if path.is_file() else ""
