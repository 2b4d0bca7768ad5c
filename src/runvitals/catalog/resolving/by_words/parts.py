"""Names with a word of their own: a part of the reward, a score of one set of tasks."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from runvitals.catalog.resolving.by_words.concepts import VOCABULARY
from runvitals.catalog.resolving.by_words.cover import CHANGES, HARMLESS
from runvitals.catalog.resolving.by_words.log import Log
from runvitals.catalog.resolving.by_words.parse import STATISTICS, Parsed
from runvitals.catalog.resolving.names import words

# Below `reward/` these words do not name a part of it. Elsewhere, no word with its own meaning does.
_NOT_A_PART = CHANGES | words(
    "loss kl time step iteration accuracy margin chosen rejected entropy advantage length return"
)
_PARTS = words("penalty bonus format answer")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a name was read as; `surely` if its numbers were looked at and every word is explained."""

    metric: str
    labels: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1.0
    surely: bool = False


def named_part(parsed: Parsed, log: Log, metrics: Container[str]) -> Reading | None:
    """What a name with a word of its own is, or None."""
    head = frozenset(parsed.head)
    left = [word for word in parsed.tail if word not in STATISTICS]
    if (found := _benchmark(parsed)) is not None:
        return found
    if parsed.held_out:
        return _score_of_some(parsed, left)
    own = [word for word in left if word != "reward"]
    if not own:
        return None
    in_rewards = head - HARMLESS == {"reward"}
    if log.domain & {"preference", "pairs"} or ("reward" not in left and not in_rewards):
        return None
    if set(own) & (_NOT_A_PART if in_rewards else VOCABULARY | CHANGES) - _PARTS:
        return None
    if not in_rewards and set(own) & log.others:
        return None  # `agent_reward` beside `agent_steps`: whose reward, not which part
    said = {STATISTICS[word] for word in parsed.tail if word in STATISTICS} | {"mean"}
    statistic = max(said, key=lambda one: (one != "mean", one))
    if log.has_total_reward or log.reward_names > 1:
        metric = f"reward/component_{statistic}"
        labels = {"component": "_".join(own)}
    else:
        metric = (
            f"outcome/return_{statistic}" if "by-episode" in log.domain else f"reward/{statistic}"
        )
        labels = {}
    return Reading(metric, labels) if metric in metrics else None


# Sets of tasks that models are tested on, and what is written beside their names.
BENCHMARKS = words(
    "hellaswag mmlu gsm8k math500 aime aime24 aime25 aime2024 aime2025 amc23 humaneval mbpp gpqa "
    "truthfulqa winogrande piqa boolq openbookqa lambada triviaqa bbh ifeval livecodebench "
    "olympiadbench minerva alpacaeval arenahard svamp asdiv commonsenseqa strategyqa"
)
_BESIDE_BENCHMARKS = words(
    "accuracy norm score rate success exact match em pass solve mean 1 easy hard main openai at"
)


def _benchmark(parsed: Parsed) -> Reading | None:
    """`gsm8k_acc`, `humaneval/pass@1`: the share of a known benchmark that was solved."""
    said = set(parsed.tail) | set(parsed.head)
    known = said & BENCHMARKS
    if not known or said - known - _BESIDE_BENCHMARKS - HARMLESS or "train" in said:
        return None
    return Reading("eval/success_rate", {"of": "_".join(sorted(known))})


_SHARES = (
    (words("accuracy"), "eval/supervised/accuracy"),
    (words("success rate"), "eval/success_rate"),
    (words("win rate"), "eval/win_rate"),
    (words("score"), "eval/score_mean"),
)


def _score_of_some(parsed: Parsed, left: list[str]) -> Reading | None:
    """A held-out rate or score of some of the tasks, by the words that say of which.

    What is filed under baselines is theirs, and not the run's.
    """
    if "baseline" in parsed.head:
        return None
    for phrase, metric in _SHARES:
        own = [word for word in left if word not in phrase]
        if phrase <= set(left) and not set(own) & (VOCABULARY | CHANGES):
            return Reading(metric, {"of": "_".join((*parsed.head, *own))})
    return None
