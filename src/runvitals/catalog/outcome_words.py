"""What a name that no tool explains says about success, by its words alone.

`reward` of a hand-written log may be the return of an episode or the score of a response; nobody can
tell from its name. That more of it is better, everybody can. So these answers are good enough to ask
whether a run gets better, and are used for nothing else.
"""

from __future__ import annotations

from runvitals.catalog._names import meaning_key, without_eval_prefix, without_train_prefix, words

_SUCCESS = words("success correct correctness solve solved win pass accuracy")
_BESIDE_SUCCESS = words("rate reward f 1 task answer goal episode final overall exact match")
_BESIDE_REWARD = words("episode total cumulative sum f overall final")
_OF_EPISODES = words("episode total cumulative sum")
_ALIVE = words("loss entropy kl")
_NOT_ALIVE = words("eval evaluation val valid validation test scale coef coefficient weight target")
_SPLITS = words("eval evaluation val valid validation test")


def outcome_by_words(name: str) -> str | None:
    """The outcome that the words of a name speak of: success, score, return or reward; else None."""
    bare = (without_train_prefix(name) or (name, {}))[0]
    rest = without_eval_prefix(bare)
    key = meaning_key(rest or bare)
    held_out = rest is not None or bool(key & _SPLITS)
    key = key - _SPLITS
    if key & _SUCCESS and key <= _SUCCESS | _BESIDE_SUCCESS:
        return "eval/success_rate" if held_out else "outcome/success_rate"
    if key == {"score"}:
        return "eval/score_mean" if held_out else "outcome/score_mean"
    if "return" in key and key <= {"return"} | _BESIDE_REWARD:
        return "eval/return_mean" if held_out else "outcome/return_mean"
    if "reward" in key and key <= {"reward"} | _BESIDE_REWARD:
        if held_out:
            return "eval/return_mean"
        return "outcome/return_mean" if key & _OF_EPISODES else "reward/mean"
    return None


def alive_by_words(name: str) -> bool:
    """Whether a name speaks of a loss, an entropy or a KL of training: a number as long as it lives.

    >>> [alive_by_words(name) for name in ("train_loss", "val_loss", "loss_scale", "reward")]
    [True, False, False, False]
    """
    bare = (without_train_prefix(name) or (name, {}))[0]
    key = meaning_key(bare)
    return without_eval_prefix(bare) is None and bool(key & _ALIVE) and not key & _NOT_ALIVE
