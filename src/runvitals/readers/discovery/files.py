"""Files that are logs, groups of them that may tell of one run, and what such a run is called."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runvitals.readers.log import Reader, Role
from runvitals.readers.raw.source import is_loggers, uncompressed_name


@dataclass(frozen=True)
class LogFile:
    """A file that a reader knows.

    `prefix` goes before its names when it is joined to others; files of one `place` are joined by their
    reader, if it can: mostly those of one folder. `life` counts what may be a run and its resumptions.
    A file with a `proof` belongs to the others only if it can be seen in it: by its numbers, which
    agree with theirs, or by its steps, which lie among theirs.
    """

    path: Path
    reader: Reader
    prefix: str = ""
    place: Path | None = None
    life: int = 0
    proof: Literal["", "numbers", "steps"] = ""

    @property
    def role(self) -> Role:
        """How it may be joined: as its reader says, unless a logger gave it its name."""
        return "main" if is_loggers(self.path) else self.reader.role

    @property
    def joins(self) -> bool:
        """True if several files of this kind in one place are one run, as event files are."""
        if self.reader.joins_by_name and self.place is None:
            return False
        return self.reader.read_together is not None

    @property
    def names_split(self) -> bool:
        """True if its names say themselves that they are of an evaluation."""
        return self.reader.names_split


@dataclass(frozen=True)
class Found:
    """What there is to open: a run folder of ours (no files), or files that may belong together.

    `shared` says that other runs lie beside it in the same folder, so that what lies there may not be
    its own; `crowded` that others would have the same name. `copies` are places where the very same
    files lie once more.
    """

    path: Path
    files: tuple[LogFile, ...] = ()
    shared: bool = False
    crowded: bool = False
    copies: tuple[Path, ...] = ()

    @property
    def only_beside(self) -> bool:
        """True if all of it is a second view, such as event files."""
        return bool(self.files) and all(
            file.role in ("events", "side", "samples") for file in self.files
        )


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
    """True if the run at this path would be named after this folder."""
    inside = path.relative_to(folder).parts
    return all(says_nothing(part) for part in inside)


def says_nothing(name: str) -> bool:
    """True if a name is generic, such as `logs` or `metrics.csv`.

    >>> [says_nothing(n) for n in ("metrics.csv", "train_log.jsonl", "logs", "seed1.csv", "PPO_1")]
    [True, True, True, False, False]
    >>> [says_nothing(n) for n in ("ppo_log.csv", "version_0", "training_2024.log", "ppo", "run")]
    [True, True, False, False, False]
    """
    bare = _ENDINGS.sub("", uncompressed_name(Path(name)))
    words = _WORDS if bare == name.lower() else _WORDS | _OF_FILES
    # `td3` is a word, `log1` is a word and a number
    parts = ([word] if word in words else _PARTS.findall(word) for word in _TOKENS.findall(bare))
    tokens = [part for several in parts for part in several]
    return bool(tokens) and all(
        token in words or (token.isdigit() and len(token) < _LARGE) for token in tokens
    )
