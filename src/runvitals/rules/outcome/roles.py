"""Which series are outcomes, and what part each has in the story."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

Kind = Literal["rate", "score", "return", "reward", "loss"]


@dataclass(frozen=True)
class Role:
    """One metric as an outcome. The most trustworthy come first in `ROLES`."""

    metric: str
    kind: Kind
    lower_is_better: bool = False

    @property
    def held_out(self) -> bool:
        """Whether it is measured on data or episodes the model was not trained on."""
        return self.metric.startswith(HELD_OUT)

    @property
    def ceiling(self) -> float | None:
        """The most it can be, if that is known."""
        return 1.0 if self.kind == "rate" else None

    @property
    def optimised(self) -> bool:
        """Whether it is the very number that training pushes up: then a rise alone proves little."""
        return self.metric.startswith(OPTIMISED)


HELD_OUT = "eval/"
OPTIMISED = ("reward/", "lm/", "preference/", "rm/", "optim/", "supervised/")

# metric and kind; "-": lower is better
_TABLE = """
eval/success_rate rate
eval/mean_at_n rate
eval/pass_at_k rate
eval/win_rate rate
eval/exploitability score-
eval/score_mean score
eval/lm/sequence_accuracy rate
eval/supervised/accuracy rate
eval/supervised/score rate
eval/preference/accuracy rate
eval/rm/accuracy rate
eval/lm/token_accuracy rate
eval/return_mean return
eval/reward/score_mean reward
eval/reward/mean reward
outcome/success_rate rate
outcome/win_rate rate
outcome/exploitability score-
outcome/score_mean score
outcome/return_mean return
outcome/elo score
reward/score_mean reward
reward/mean reward
eval/loss loss-
eval/lm/loss loss-
eval/supervised/error loss-
eval/perplexity score-
eval/preference/loss loss-
eval/rm/loss loss-
preference/accuracy rate
rm/accuracy rate
supervised/accuracy rate
supervised/score rate
preference/margin score
rm/margin score
preference/loss loss-
rm/loss loss-
lm/loss loss-
lm/perplexity score-
supervised/error loss-
optim/loss loss-
"""


def _role(line: str) -> Role:
    metric, kind = line.split()
    return Role(metric, cast("Kind", kind.removesuffix("-")), kind.endswith("-"))


ROLES = tuple(map(_role, _TABLE.strip().splitlines()))
LEARNED_BY_TRYING_PREFIXES = ("outcome/", "reward/", "advantage/", "policy/", "value/", "explore/")
KINDS: dict[str, Kind] = {role.metric: role.kind for role in ROLES}
CANDIDATES = tuple((role.metric, role.ceiling) for role in ROLES)
LOWER_IS_BETTER = frozenset(role.metric for role in ROLES if role.lower_is_better)
PAID = ("reward/score_mean", "reward/mean", "outcome/return_mean")  # what a policy is paid, in all
