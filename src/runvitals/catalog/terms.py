"""Words of the trade, in a sentence each."""

from __future__ import annotations

import re
from collections.abc import Mapping

from runvitals.model import Term

__all__ = ["TERMS", "find_term"]

_TABLE = "RL Metrics table"
_GLOSSARY = "Training Metrics Glossary"
_GUIDE = "Training Monitoring Guide"
_REFERENCE = "TensorBoard Metrics Reference"
_TELEMETRY = "Training Metrics and Telemetry"

_TERMS = (
    Term(
        "policy", "What the agent does: a function from states to probabilities of actions.", _TABLE
    ),
    Term(
        "value function",
        "The return to expect from a state when the policy goes on as it is; the critic learns it.",
        _TABLE,
    ),
    Term(
        "advantage",
        "How much better an action is than what the policy does on average there.",
        _TABLE,
    ),
    Term("return", "The sum of rewards to come, each later one discounted a little more.", _TABLE),
    Term("entropy", "How random the policy is. Randomness is exploration.", _TABLE),
    Term(
        "KL divergence",
        "How far one distribution lies from another: new policy from old, or policy from reference. "
        "The two are different metrics and must not be mixed.",
        _TABLE,
    ),
    Term(
        "clipping",
        "PPO ignores the gain from moving the probability ratio beyond a small range around 1, "
        "so that one batch cannot wreck the policy.",
        _TABLE,
    ),
    Term(
        "GAE",
        "Generalised advantage estimation: advantages smoothed over many steps, with lambda "
        "trading bias against variance.",
        _TABLE,
    ),
    Term(
        "explained variance",
        "The share of the variance of returns that the critic accounts for; its school mark.",
        _TABLE,
    ),
    Term(
        "importance ratio",
        "Probability of a sampled action under the new policy over the old one.",
        _TABLE,
    ),
    Term(
        "MFU",
        "Model FLOPs utilisation: useful arithmetic done, divided by what the devices could do in "
        "the same time.",
        _GLOSSARY,
    ),
    Term(
        "reward hacking",
        "The learner is paid more and more without doing the task better. Visible when the reward "
        "rises and success, validation or length do not agree.",
        _TELEMETRY,
    ),
    Term(
        "outcome metric",
        "A number that says whether the task is done better: success, return, score.",
        _TELEMETRY,
    ),
    Term(
        "optimisation metric",
        "A number that says whether the algorithm behaves: losses, KL, entropy, gradient norm. "
        "Necessary, and never enough.",
        _TELEMETRY,
    ),
    Term("SPS", "Steps per second: how fast experience is collected.", _TELEMETRY),
    Term(
        "EMA",
        "Exponential moving average: smoothing that forgets old values gradually.",
        _TELEMETRY,
    ),
    Term(
        "critic",
        "The network that predicts values; its errors become errors of the advantages.",
        _GLOSSARY,
    ),
    Term("actor", "The network that is the policy.", _GLOSSARY),
    Term(
        "rollout", "Letting the policy act, or the model write, to collect experience.", _GLOSSARY
    ),
    Term(
        "reference model",
        "A frozen copy of the model at the start; the KL penalty ties the policy to it.",
        _GLOSSARY,
    ),
    Term(
        "reward model",
        "A model trained on human preferences to score answers: the judge.",
        _GLOSSARY,
    ),
    Term(
        "reward margin",
        "Score of the preferred answer minus score of the other one: how decisive the judge is.",
        _GLOSSARY,
    ),
    Term(
        "TD(lambda)",
        "Return targets that mix sampled rewards with the critic's own predictions.",
        _TABLE,
    ),
    Term(
        "GRPO",
        "Group relative policy optimisation: several answers to a prompt are compared with each "
        "other, which replaces the critic.",
    ),
    Term(
        "PPO",
        "Proximal policy optimisation: several small clipped updates on each batch of experience.",
    ),
    Term(
        "DPO",
        "Direct preference optimisation: learns from pairs of answers without a reward model.",
    ),
    Term("SFT", "Supervised fine-tuning: next-token prediction on good answers."),
    Term("epoch", "One pass over the data, or, in PPO, one pass over the current batch."),
    Term(
        "staleness", "How many weight updates happened between sampling and training on the sample."
    ),
    Term(
        "surrogate objective",
        "What a policy-gradient update maximises; its negative is the policy loss. A means to an end, "
        "and no score.",
        _TELEMETRY,
    ),
    Term(
        "reward breakdown",
        "The total reward beside each of its parts, so that a part that masks another one shows.",
        _GUIDE,
    ),
    Term(
        "warm start",
        "Beginning from a policy that was trained before. Early behaviour tells whether it took.",
        _GUIDE,
    ),
    Term(
        "training_progress.json",
        "The file of a run that says how far it has come: completed_chunks, requests_done and "
        "latest_checkpoint. Look at it after an interruption.",
        _GUIDE,
    ),
    Term(
        "latest_checkpoint",
        "The newest saved state of a run, noted in training_progress.json; where a resumed run "
        "goes on from.",
        _GUIDE,
    ),
    Term(
        "training.log",
        "The console output of a run as text: losses, KL, entropy and the reward breakdown, update "
        "by update.",
        _GUIDE,
    ),
    Term(
        "metrics/*.csv",
        "Tables with one row a step and one column a metric, for spreadsheets and scripts.",
        _GUIDE,
    ),
    Term(
        "tensorboard",
        "The viewer for event files: tensorboard --logdir FOLDER, then a browser at port 6006.",
        f"{_GUIDE}; {_REFERENCE}",
    ),
    Term(
        "val-core and val-aux",
        "veRL's validation metrics: the core ones say whether the model got better, the auxiliary "
        "ones help to understand why.",
        _GLOSSARY,
    ),
    Term(
        "P99",
        "The 99th percentile: 99 of 100 values lie below it. Of a speed it is near the best, of a "
        "time near the worst.",
        _REFERENCE,
    ),
    Term(
        "KTO",
        "Kahneman-Tversky optimisation: learns from single answers marked good or bad, without pairs.",
    ),
    Term("pass@k", "The chance that at least one of k answers is right."),
)

TERMS: Mapping[str, Term] = {term.word: term for term in _TERMS}
_ALSO = {
    "kl": "KL divergence",
    "generalized advantage estimation": "GAE",
    "generalised advantage estimation": "GAE",
    "model flops utilization": "MFU",
    "model flops utilisation": "MFU",
    "value": "value function",
    "clip": "clipping",
    "clipping (ppo)": "clipping",
    "steps per second": "SPS",
    "rm": "reward model",
    "exponential moving average": "EMA",
    "td(λ)": "TD(lambda)",
    "ppo_training.log": "training.log",
    "metrics/": "metrics/*.csv",
    "reward_breakdown": "reward breakdown",
    "warmstart": "warm start",
    "optimization metric": "optimisation metric",
    "outcome metrics": "outcome metric",
    "optimization metrics": "optimisation metric",
    "val-core": "val-core and val-aux",
    "val-aux": "val-core and val-aux",
}
_SYMBOL = re.compile(r"\s+\(.*\)$")  # "Policy (π)", "GAE (Generalized Advantage Estimation)"


def find_term(word: str) -> Term | None:
    """The glossary entry of a word, in any case, or None.

    >>> find_term("gae").word
    'GAE'
    """
    asked = word.strip().casefold()
    for one in dict.fromkeys((asked, _SYMBOL.sub("", asked))):
        wanted = _ALSO.get(one, one).casefold()
        for term in _TERMS:
            if term.word.casefold() == wanted:
                return term
    return None
