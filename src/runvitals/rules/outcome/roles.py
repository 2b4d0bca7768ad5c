"""Which series are outcomes, and what part each has in the story."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["held-out", "training"]
Kind = Literal["rate", "score", "return", "reward", "margin", "loss"]


@dataclass(frozen=True)
class Role:
    """One metric as an outcome. The most trustworthy come first in `ROLES`."""

    metric: str
    kind: Kind
    lower_is_better: bool = False
    most: float | None = None  # what it can be, if that is known of another kind than a rate

    @property
    def side(self) -> Side:
        """Whether it is measured on data or episodes the model was not trained on."""
        return "held-out" if self.metric.startswith(HELD_OUT) else "training"

    @property
    def ceiling(self) -> float | None:
        """The most it can be, if that is known."""
        return 1.0 if self.kind == "rate" else self.most

    @property
    def optimised(self) -> bool:
        """Whether it is the very number that training pushes up: then a rise alone proves little."""
        return self.metric.startswith(OPTIMISED)


HELD_OUT = "eval/"
OPTIMISED = ("reward/", "lm/", "preference/", "rm/", "optim/", "supervised/")

ROLES: tuple[Role, ...] = (
    Role("eval/success_rate", "rate"),
    Role("eval/mean_at_n", "rate"),
    Role("eval/pass_at_k", "rate"),
    Role("eval/win_rate", "rate"),
    Role("eval/exploitability", "score", lower_is_better=True),
    Role("eval/score_mean", "score"),
    Role("eval/lm/sequence_accuracy", "rate"),
    Role("eval/supervised/accuracy", "rate"),
    Role("eval/supervised/score", "score", most=1.0),
    Role("eval/preference/accuracy", "rate"),
    Role("eval/rm/accuracy", "rate"),
    Role("eval/lm/token_accuracy", "rate"),
    Role("eval/return_mean", "return"),
    Role("eval/reward/score_mean", "reward"),
    Role("eval/reward/mean", "reward"),
    Role("outcome/success_rate", "rate"),
    Role("outcome/win_rate", "rate"),
    Role("outcome/exploitability", "score", lower_is_better=True),
    Role("outcome/elo", "score"),
    Role("outcome/score_mean", "score"),
    Role("outcome/return_mean", "return"),
    Role("reward/score_mean", "reward"),
    Role("reward/mean", "reward"),
    Role("eval/loss", "loss", lower_is_better=True),
    Role("eval/lm/loss", "loss", lower_is_better=True),
    Role("eval/supervised/error", "loss", lower_is_better=True),
    Role("eval/perplexity", "score", lower_is_better=True),
    Role("eval/preference/loss", "loss", lower_is_better=True),
    Role("eval/rm/loss", "loss", lower_is_better=True),
    Role("preference/accuracy", "rate"),
    Role("rm/accuracy", "rate"),
    Role("supervised/accuracy", "rate"),
    Role("supervised/score", "score", most=1.0),
    Role("preference/margin", "margin"),
    Role("rm/margin", "margin"),
    Role("preference/loss", "loss", lower_is_better=True),
    Role("rm/loss", "loss", lower_is_better=True),
    Role("lm/loss", "loss", lower_is_better=True),
    Role("lm/perplexity", "score", lower_is_better=True),
    Role("supervised/error", "loss", lower_is_better=True),
    Role("optim/loss", "loss", lower_is_better=True),
)
LOSS_OF_ANYTHING = "optim/loss"  # an outcome only where nothing but a loss is trained
LEARNED_BY_TRYING_PREFIXES = ("outcome/", "reward/", "advantage/", "policy/", "value/", "explore/")
CANDIDATES = tuple((role.metric, role.ceiling) for role in ROLES)
LOWER_IS_BETTER = frozenset(role.metric for role in ROLES if role.lower_is_better)

LEARNED_BY_TRYING = frozenset(  # outcomes of a task: no loss, and no accuracy on given pairs
    {
        "eval/success_rate",
        "eval/mean_at_n",
        "eval/pass_at_k",
        "eval/exploitability",
        "eval/score_mean",
        "eval/return_mean",
        "outcome/success_rate",
        "outcome/win_rate",
        "outcome/exploitability",
        "outcome/elo",
        "outcome/score_mean",
        "outcome/return_mean",
        "reward/score_mean",
        "reward/mean",
    }
)
LOGGED_THROUGHOUT = (  # what a trainer that logs it once logs until the end
    "outcome/success_rate",
    "outcome/win_rate",
    "outcome/exploitability",
    "outcome/elo",
    "outcome/score_mean",
    "outcome/return_mean",
    "reward/score_mean",
    "reward/mean",
    "eval/success_rate",
    "eval/mean_at_n",
    "eval/pass_at_k",
    "eval/win_rate",
    "eval/score_mean",
    "eval/return_mean",
    "eval/loss",
    "eval/lm/loss",
    "eval/supervised/accuracy",
    "eval/supervised/score",
    "eval/preference/accuracy",
    "eval/rm/accuracy",
)
PAID = ("reward/score_mean", "reward/mean", "outcome/return_mean")  # what a policy is paid, in all
