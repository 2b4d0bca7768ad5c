"""Logs of loops that people wrote themselves: bare columns, read in the light of the others.

`reward` beside `episode` and `epsilon` is the return of an episode; beside `completion_length` it is
the score of a response; alone it is nothing. Every rule needs evidence for one reading and none for
the other, and stays silent otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from runvitals.catalog.resolving.names import (
    meaning_key,
    tokens,
    without_eval_prefix,
    without_train_prefix,
    words,
)

_LLM = words("response prompt token perplexity reference turn logprob tokenizer rouge format")
_PAIRS = words("chosen rejected margin preference pair pairs")
_SINGLE_STEP = words("action actions done dones terminated truncated state obs observation")
_RL = (
    words(
        "reward return episode policy value q kl entropy advantage env epsilon score regret fitness "
        "alpha discriminator teacher student clip"
    )
    | _PAIRS
)
_HELD_OUT = words("eval evaluation test val valid validation")
_PAID = (frozenset({"reward"}), frozenset({"return"}))
_SUMS = tuple(
    frozenset(phrase.split())
    for phrase in ("reward total", "reward cumulative", "reward sum", "return total")
)
_EPISODE_PAID = frozenset({"episode", "reward"}), frozenset({"episode", "return"})
_COUNTERS = tuple(
    frozenset(phrase.split()) for phrase in ("episode", "episode num", "i episode", "episode total")
)
# A study of over-optimisation (Gao et al. 2022): what is optimised, and what is meant by it.
_PROXY = tuple(frozenset(phrase.split()) for phrase in ("proxy", "proxy reward", "proxy score"))
_GOLD = tuple(
    frozenset(phrase.split())
    for phrase in (
        *("gold", "gold reward", "gold score", "quality", "true quality", "true reward"),
        *("true score", "real reward", "real score", "actual reward", "actual score"),
    )
)
_POLICY_LOSS = frozenset({"policy", "loss"})
_VALUE_LOSS = frozenset({"value", "loss"})
_SHAPED = words("raw shaped scaled normalized normalised discounted score penalty")
_LOSSES = words("loss train_loss training_loss")
_PLURAL = words("rewards returns scores losses")
_NUMBER = re.compile(r"\d+(?:ep|eps)?$")
_IN_TRAINING = words("train training")


@dataclass(frozen=True, slots=True)
class OwnLoop:
    """What the columns of a hand-written log say about the loop that wrote it."""

    keys: frozenset[frozenset[str]]
    words: frozenset[str]
    raw: frozenset[str]
    names: frozenset[str]

    @classmethod
    def of(cls, names: Collection[str]) -> OwnLoop | None:
        """Read the columns; None for a log whose names are mostly paths, as those of tools are."""
        if 2 * sum("/" in name for name in names) > len(names):
            return None
        below = [_below(name) for name in names]
        keys = frozenset(meaning_key(name) for name in below)
        every = frozenset(word for key in keys for word in key)
        raw = frozenset(word for name in below for word in re.split(r"[^a-z0-9]+", name.lower()))
        return cls(keys, every, raw, frozenset(name.lower() for name in below))

    def has(self, *phrases: str) -> bool:
        """Whether a column is called exactly one of these, in unified words."""
        return any(frozenset(phrase.split()) in self.keys for phrase in phrases)

    @property
    def llm(self) -> bool:
        """Columns that only a language model has."""
        return bool(self.words & _LLM)

    @property
    def pairs(self) -> bool:
        """Columns of preferred and rejected answers."""
        return bool(self.words & _PAIRS)

    @property
    def paid(self) -> bool:
        """A reward or return of any kind."""
        return bool(self.words & {"reward", "return"})

    @property
    def clipped(self) -> bool:
        """Columns that only a clipped or trust-region update has."""
        return self.has("approx kl", "clip fraction", "clip range", "explained variance")

    @property
    def policy_gradient(self) -> bool:
        """A policy with a critic for its baseline, or a clipped update."""
        return self.clipped or {_POLICY_LOSS, _VALUE_LOSS} <= self.keys

    @property
    def off_policy(self) -> bool:
        """Columns of Q functions, replay and learned temperatures."""
        return bool(self.words & {"q", "td", "replay", "buffer", "alpha"}) or self.exploring

    @property
    def exploring(self) -> bool:
        """An exploration rate, which PPO's clip range of the same name is not."""
        rate = self.has(
            "epsilon", "eps", "epsilon greedy", "exploration rate", "exploration epsilon"
        )
        return rate and not self.words & {"policy", "clip", "kl", "advantage"} and not self.llm

    @property
    def q_learning(self) -> bool:
        """Q learning without an actor."""
        return (
            self.off_policy
            and not self.llm
            and not self.pairs
            and not self.words & {"policy", "alpha", "entropy", "kl", "advantage"}
            and _VALUE_LOSS not in self.keys
        )

    @property
    def by_episode(self) -> bool:
        """One row an episode, or statistics of episodes; not one row an action."""
        if self.llm or self.pairs or any(frozenset({word}) in self.keys for word in _SINGLE_STEP):
            return False
        statistics = any(
            "episode" in key and key & {"reward", "return", "length"} for key in self.keys
        )
        counted = any(key in self.keys for key in _COUNTERS)
        stepwise = bool(self.names & {"step", "timestep", "time_step", "t"})
        summed = any(key in self.keys for key in _SUMS)
        return statistics or (counted and (summed or not stepwise))

    @property
    def over_optimised(self) -> bool:
        """A reward that stands in for another, and that other one."""
        return any(key in self.keys for key in _PROXY) and any(key in self.keys for key in _GOLD)

    @property
    def losses_of_sides(self) -> bool:
        """Columns named after the data alone, `train` and `val`, beside a perplexity."""
        both = bool(self.names & _IN_TRAINING) and bool(self.names & _HELD_OUT)
        return both and "perplexity" in self.words and not self.words & _RL

    @property
    def group_training(self) -> bool:
        """Reinforcement learning of a language model without a critic."""
        return self.llm and self.paid and not self.pairs and _VALUE_LOSS not in self.keys

    @property
    def families(self) -> frozenset[str] | None:
        """The families of algorithms this leaves (empty: any classic one), or None: no idea."""
        if self.llm or self.pairs or not self.paid:
            return None
        if self.q_learning:
            return frozenset({"q-learning"})
        return frozenset() if self.by_episode else None

    def fits(self, hinted: frozenset[str]) -> bool:
        """Whether a loop of a hinted family would have such columns."""
        if not hinted:
            return True
        if self.pairs:
            return bool(hinted & {"preference", "reward-model"})
        if not self.paid:
            return "supervised" in hinted
        if self.llm:
            return "llm-rl" in hinted
        if self.off_policy:
            return bool(hinted & {"q-learning", "actor-critic"})
        return bool(hinted & {"on-policy", "q-learning", "actor-critic"})

    def read(self, name: str) -> tuple[str, dict[str, str]] | None:
        """The metric a bare column is here and its labels, or None."""
        below = _below(name)
        if "/" in below or len(self.keys) < 2:
            return None
        if self.losses_of_sides and below.lower() in _IN_TRAINING | _HELD_OUT:
            return ("lm/loss" if below.lower() in _IN_TRAINING else "eval/lm/loss"), {}
        rest = without_eval_prefix(below)
        if rest:
            metric = self._held_out(meaning_key(rest))
            return (metric, {}) if metric else None
        key = meaning_key(below)
        if self.over_optimised and key in (*_PROXY, *_GOLD):
            return ("reward/score_mean" if key in _PROXY else "eval/score_mean"), {}
        if key in _GOLD and "kl" in self.words and self.has("score", "reward"):
            return "eval/score_mean", {}
        windows = [word for word in key if _NUMBER.match(word)]
        if len(windows) == 1 and len(key) > 1:
            metric = self._return(key - set(windows), averaged=True)
            return (metric, {"window": windows[0].rstrip("eps")}) if metric else None
        if _PLURAL & set(re.split(r"[^a-z]+", below.lower())):
            return None  # `rewards` are those of single steps as often as not
        averaged = bool(set(tokens(below)) & {"mean", "avg", "average"})
        metric = self._return(key, averaged=averaged) or self._rest(key, below)
        return (metric, {}) if metric else None

    def leaves_open(self, name: str) -> bool:
        """Whether a name that was not read here may not be read by its words alone either."""
        below = _below(name)
        rest = without_eval_prefix(below)
        if rest and self.llm and meaning_key(rest) in (*_PAID, *_SUMS):
            return True
        return meaning_key(below) in ({"epsilon"}, {"eps"})

    def _return(self, key: frozenset[str], *, averaged: bool) -> str | None:
        """Rewards and returns."""
        if key in _PAID and self.group_training and not self.words & _SHAPED:
            # What the reward model or the verifier says; KL is logged beside it.
            return "reward/score_mean" if "reward" in key else None
        if self.llm or self.pairs:
            return None
        if key in _EPISODE_PAID:
            return "outcome/return_mean" if self.by_episode or self.off_policy else None
        if key in _SUMS:
            return "outcome/return_mean" if self.by_episode or self.q_learning else None
        if key not in _PAID or not self.by_episode or "advantage" in self.words:
            return None
        if key == _PAID[0] and not averaged and self._sums_elsewhere:
            return None  # beside `episode_reward`, `reward` is something else
        return "outcome/return_mean"

    @property
    def _sums_elsewhere(self) -> bool:
        return any(key in self.keys for key in (*_SUMS, *_EPISODE_PAID, _PAID[1]))

    def _held_out(self, key: frozenset[str]) -> str | None:
        if key not in (*_PAID, *_SUMS, *_EPISODE_PAID):
            return None
        if self.llm and self.paid and not self.pairs:
            return "eval/score_mean" if key == _PAID[0] else None
        if self.by_episode or ((self.q_learning or self.policy_gradient) and not self.llm):
            return "eval/return_mean"
        return None

    def _rest(self, key: frozenset[str], below: str) -> str | None:
        """Everything that is not a reward."""
        if key == {"loss"}:
            return self._loss() if below.lower() in _LOSSES else None
        if self.pairs:
            return None
        if key == {"entropy"}:
            # Beside a loss made of it, its sign is anybody's guess.
            signed = self.has("entropy loss", "entropy bonus", "entropy penalty")
            return "policy/entropy" if self.paid and not signed else None
        if key == {"kl"}:
            return self._kl()
        if key == {"norm"}:
            # build-nanoGPT and its many copies: the norm of the gradient beside its step
            trains = self.has("learning rate") and any("loss" in key for key in self.keys)
            return "optim/grad_norm" if trains else None
        if key == _POLICY_LOSS and "actor" not in below.lower():
            plain = self.paid and not self.off_policy and not self.raw & {"critic", "actor"}
            return "policy/loss" if plain else None
        if self.llm:
            return None
        return self._classic(key)

    def _classic(self, key: frozenset[str]) -> str | None:
        playing = self.by_episode or self.q_learning or (self.policy_gradient and self.paid)
        if key == {"episode", "length"} and playing:
            return "outcome/episode_length_mean"
        if key == {"env", "step", "per", "s"} and playing:
            return "throughput/env_steps_per_s"
        if key in ({"epsilon"}, {"eps"}, {"exploration", "rate"}) and self.exploring and self.paid:
            return "explore/epsilon"
        if key in ({"q"}, {"q", "value"}) and self.paid:
            return "value/q_mean"
        if key in ({"q", "loss"}, {"td", "loss"}) and self.paid:
            return "value/loss"
        if key == {"alpha"} and self.paid and (self.has("alpha loss") or self._soft):
            return "policy/entropy_coef"
        if key == {"score"} and self.by_episode and self.paid:
            return "outcome/score_mean"
        return None

    @property
    def _soft(self) -> bool:
        """Actor, critic and entropy of SAC."""
        critic = _VALUE_LOSS in self.keys or self.has("q loss")
        return _POLICY_LOSS in self.keys and critic and self.has("entropy") and not self.clipped

    def _loss(self) -> str | None:
        if self.pairs:
            return None
        if self.paid:
            if {_POLICY_LOSS, _VALUE_LOSS} <= self.keys and not self.off_policy:
                return "optim/loss"
            if self.q_learning:
                return "value/loss"
            if self.group_training and self.has("kl", "reward"):
                return "policy/loss_total"
            return None
        held_out = any(key & _HELD_OUT and key - _HELD_OUT == {"loss"} for key in self.keys)
        if self.words & _RL or not held_out:
            return None
        if self.has("perplexity", "val perplexity", "eval perplexity"):
            return "lm/loss"
        return None if self.llm else "optim/loss"

    def _kl(self) -> str | None:
        if self.over_optimised:
            return "policy/kl_ref"
        if not self.paid or self.has("approx kl"):
            return None
        if self.group_training:
            return "policy/kl_ref"
        if not self.llm and self.policy_gradient and not self.off_policy:
            return "policy/approx_kl"
        return None


def _below(name: str) -> str:
    return (without_train_prefix(name) or (name, {}))[0]
