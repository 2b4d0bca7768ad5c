"""Whether a name was understood, held against what a person says it is; and the counts of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from benchmarks.reading.labelled_names import Labels, Meaning
from runvitals.model import Binding
from runvitals.rules.outcome.roles import CANDIDATES

GENERAL = frozenset(
    {"env/metric", "supervised/metric", "eval/supervised/metric", "eval/env/metric"}
)
Right = Callable[[str, str], bool]  # what a name is, what was found: is that right?
OUTCOMES = frozenset(one for one, _ in CANDIDATES)
# One number under two headings, of which rules accept either.
SAME = (
    {"policy/grad_norm", "optim/grad_norm"},
    {"policy/learning_rate", "optim/learning_rate"},
    {"reward/mean", "reward/score_mean"},
    {"reward/min", "reward/score_min"},
    {"reward/max", "reward/score_max"},
    {"reward/std", "reward/score_std"},
)
# What may be said of a name of a tool that nobody knows, and what it may then be in truth: less exact,
# but of the same unit, sign and size, so that no rule that goes by it is misled.
FAIR = {
    "optim/loss": "lm/loss preference/loss rm/loss distill/loss policy/loss_total value/loss "
    "optim/loss_run_mean",
    "policy/loss": "policy/loss_total",
    "policy/loss_total": "policy/loss",
    "policy/entropy_loss": "policy/entropy",  # minus the entropy is what the name says
    "policy/approx_kl": "policy/kl_old",
    "policy/kl_old": "policy/approx_kl",
    "value/mean": "value/pred_mean",
    "progress/step": "progress/optimizer_steps progress/update_rounds",
    "progress/optimizer_steps": "progress/update_rounds progress/step",
    "progress/update_rounds": "progress/optimizer_steps progress/step",
    "reward/std": "reward/group_std_mean",  # TRL changed what `reward_std` is
    "reward/group_std_mean": "reward/std",
    "eval/score_mean": "eval/success_rate",
    "reward/extrinsic_mean": "reward/component_mean",  # the part that the task pays
    "eval/supervised/accuracy": "eval/rm/accuracy eval/lm/token_accuracy",  # the task stays open
    "time/training_s": "time/policy_update_s",
    "time/policy_update_s": "time/training_s",
    "time/logprob_s": "time/old_logprob_s time/ref_logprob_s",
    "throughput/env_steps_per_s": "throughput/sim_steps_per_s throughput/rollout_steps_per_s",
    "throughput/tokens_per_s_per_device": "throughput/train_tokens_per_s_per_device "
    "throughput/generation_tokens_per_s_per_device",
}


def same(wanted: str, found: str) -> bool:
    """Whether two metrics are one number."""
    return wanted == found or {wanted, found} in SAME


def fair(wanted: str, found: str) -> bool:
    """Whether `found` is a fair reading of a name that is `wanted` in a tool that nobody knows."""
    return same(wanted, found) or wanted in FAIR.get(found, "").split()


@dataclass(frozen=True, slots=True)
class Mistake:
    """One name that was misunderstood, or not understood."""

    log: str
    name: str
    wanted: str
    got: str
    how: str
    kind: str


@dataclass
class Measure:
    """Counts of one folder, or of all."""

    logs: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    mistakes: list[Mistake] = field(default_factory=list)

    def __add__(self, other: Measure) -> Measure:
        return Measure(
            self.logs + other.logs, self.names + other.names, self.mistakes + other.mistakes
        )

    def share(self, part: str, whole: str) -> float:
        counts = self.logs if whole in self.logs else self.names
        return counts[part] / (counts[whole] or 1)


def verdict(meaning: Meaning, found: str | None, right: Right = same) -> str:
    """`right`, `missed`, `wrong`, or `open` for a name that nobody need understand.

    A general metric ("some number of the environment") says nothing: it is as good as no binding.
    """
    if found in GENERAL and found not in meaning.metrics:
        found = None
    if meaning.unclear:
        return "open"
    if found is None:
        return "open" if meaning.may_stay_open else "missed"
    return "right" if any(right(one, found) for one in meaning.metrics) else "wrong"


_WORST = ("open", "right", "missed", "wrong")


def measure_names(
    labels: Labels,
    named: Iterable[tuple[str, Binding | None]],
    result: Measure,
    right: Right = same,
) -> None:
    """Count the names of one log; those that share a line of the labels count once, at their worst."""
    worst: dict[str, tuple[str, Mistake | None]] = {}
    for name, binding in named:
        meaning = labels.meaning(name)
        if meaning is None:
            worst.setdefault(name, ("unlabelled", None))
            continue
        found = binding.metric if binding is not None else None
        judged = verdict(meaning, found, right)
        before = worst.get(meaning.key)
        if before is not None and _WORST.index(judged) <= _WORST.index(before[0]):
            continue
        worst[meaning.key] = judged, _mistake(labels, name, meaning, binding, judged)
        result.names["outcome"] += before is None and meaning.key in labels.outcomes
    for judged, mistake in worst.values():
        result.names["names"] += 1
        result.names[judged] += 1
        result.names["bound"] += judged in {"right", "wrong"}
        if mistake is not None:
            result.mistakes.append(mistake)
            result.names[mistake.kind] += 1
    for key, (judged, _) in worst.items():
        meaning = labels.meaning(key)
        if judged != "unlabelled" and meaning is not None and not meaning.may_stay_open:
            result.names["meaningful"] += 1
            result.names["understood"] += judged == "right"


def _mistake(
    labels: Labels, name: str, meaning: Meaning, binding: Binding | None, judged: str
) -> Mistake | None:
    if judged in {"right", "open"}:
        return None
    outcome = meaning.key in labels.outcomes
    wanted = " or ".join(sorted(meaning.metrics)) or "nothing"
    if binding is None or judged == "missed":
        kind = "outcome missed" if outcome else "other missed"
        return Mistake(labels.log, name, wanted, "nothing", "", kind)
    outcome = outcome or binding.metric in OUTCOMES
    kind = "outcome wrong" if outcome else "other wrong"
    return Mistake(labels.log, name, wanted, binding.metric, binding.how, kind)
