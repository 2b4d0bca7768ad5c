"""What a run is called: by its folder or file, whichever tells more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from runvitals.readers.source import plain_name

# Words that say that there is a log, and not of what.
_SAYS_NOTHING = re.compile(
    r"(?i)((train(ing|er)?|eval(uation)?|val(id(ation)?)?|test|rl|wandb|sb3|monitor|console|output"
    r"|std|tb|tensorboard|tf|logger|lightning|csv|json|rollout|episode|agent|model|run|all|final"
    r"|loss|reward|data)?[ ._-]*)"
    r"(logs?|logging|logger|metrics?|history|histories|progress|results?|states?|stats|statistics"
    r"|summary|summaries|outputs?|runs|events?|console|stdout|stderr|nohup|curves?|data"
    r"|checkpoints?|ckpts?|files|tb|tensorboard|tblogs|train(ing)?|eval(uations?)?|val|validation"
    r"|test|latest|latest-run|version[ ._-]?\d+|monitor|tmp|temp|home|root|workspace|work|content)"
    r"s?[ ._-]*\d{0,2}"
)
_ENDINGS = re.compile(
    r"(\.(csv|tsv|jsonl?|txt|log|out|err|md|parquet|npz|db|wandb|gz|xz|zst|tab|dat))+$"
)
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
    """
    return _SAYS_NOTHING.fullmatch(_ENDINGS.sub("", plain_name(Path(name)))) is not None
