"""What a run is called: by its folder or file, whichever tells more."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from pathlib import Path

from runvitals.readers.raw.source import uncompressed_name

# Words that say that there is a log, and not of what.
_WORDS = frozenset(
    "log logs logging logger metric metrics history histories progress result results state states "
    "stats statistics summary summaries output outputs runs event events console std stdout stderr "
    "nohup curve curves data checkpoint checkpoints ckpt ckpts file files tb tblogs tensorboard tf "
    "train training trainer eval evaluation evaluations val valid validation test latest version "
    "monitor tmp temp home root workspace work content wandb lightning csv json rollout rollouts "
    "episode episodes agent model all final loss losses reward rewards returns scores save "
    "saved experiment experiments guild neptune offline".split()
)
# These name a folder, but a file in a folder of another name is not called by them.
_OF_FILES = frozenset(
    "run out rl rlhf ppo grpo dpo kto orpo sft dqn ddqn sac td3 ddpg a2c a3c reinforce rloo".split()
)
_ENDINGS = re.compile(
    r"(\.(csv|tsv|jsonl?|txt|log|out|err|md|parquet|npz|db|wandb|gz|xz|zst|tab|dat))+$"
)
_TOKENS = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_LARGE = 3  # digits: such a number tells something
_KEYS = ("run_name", "experiment_name", "exp_name", "wandb_name", "trainer.experiment_name")
_HIGHEST = 3  # folders above that are asked for a name


def named(
    path: Path, config: Mapping[str, object] | None = None, *, crowded: bool = False
) -> tuple[str, str]:
    """Name and project of the run at this path.

    A file that is called like any log is called by its folder, a folder that is called like any folder
    of logs by the one above it; if none of them tells anything, the settings may. Where it is crowded
    with runs that would then have the same name, the path from there belongs to it.

    >>> named(Path("/x/ppo-hopper/metrics.csv")), named(Path("/x/ppo-hopper/seed1.csv"))
    (('ppo-hopper', 'x'), ('seed1.csv', 'ppo-hopper'))
    >>> named(Path("/x/ppo-hopper/logs")), named(Path("/logs/metrics.csv"), {"run_name": "a1"})
    (('ppo-hopper', 'x'), ('a1', 'logs'))
    >>> named(Path("/x/ppo-hopper/metrics.csv"), crowded=True)
    ('ppo-hopper/metrics.csv', 'x')
    """
    whole = path.resolve()
    if not says_nothing(whole.name):
        return whole.name, whole.parent.name
    for folder in list(whole.parents)[:_HIGHEST]:
        if folder.name and not says_nothing(folder.name):
            name = str(whole.relative_to(folder.parent)) if crowded else folder.name
            return name, folder.parent.name
    for key in _KEYS:
        told = (config or {}).get(key)
        if isinstance(told, str) and told.strip() and not says_nothing(Path(told).name):
            return Path(told.strip()).name, whole.parent.name
    above = whole.parent
    name = f"{above.name}/{whole.name}" if above.name else whole.name or str(whole)
    return name, above.parent.name


def named_by(path: Path, folder: Path) -> bool:
    """Whether the run at this path would be called by this folder at or above it."""
    inside = path.relative_to(folder).parts
    return all(says_nothing(part) for part in inside)


def says_nothing(name: str) -> bool:
    """Whether a name only says that there are logs.

    >>> [says_nothing(n) for n in ("metrics.csv", "train_log.jsonl", "logs", "seed1.csv", "PPO_1")]
    [True, True, True, False, False]
    >>> [says_nothing(n) for n in ("ppo_log.csv", "version_0", "training_2024.log", "ppo", "run")]
    [True, True, False, False, False]
    """
    bare = _ENDINGS.sub("", uncompressed_name(Path(name)))
    words = _WORDS if bare == name.lower() else _WORDS | _OF_FILES
    tokens = [part for word in _TOKENS.findall(bare) for part in _split(word, words)]
    return bool(tokens) and all(
        token in words or (token.isdigit() and len(token) < _LARGE) for token in tokens
    )


def _split(word: str, words: Container[str]) -> list[str]:
    """`td3` is a word, `log1` is a word and a number."""
    return [word] if word in words else _PARTS.findall(word)
