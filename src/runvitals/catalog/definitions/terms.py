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
        also=("value",),
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
        also=("kl",),
    ),
    Term(
        "clipping",
        "PPO ignores the gain from moving the probability ratio beyond a small range around 1, "
        "so that one batch cannot wreck the policy.",
        _TABLE,
        also=(
            "clip",
            "clipping (ppo)",
        ),
    ),
    Term(
        "GAE",
        "Generalised advantage estimation: advantages smoothed over many steps, with lambda "
        "trading bias against variance.",
        _TABLE,
        also=(
            "generalized advantage estimation",
            "generalised advantage estimation",
        ),
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
        also=(
            "model flops utilization",
            "model flops utilisation",
        ),
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
        also=("outcome metrics",),
    ),
    Term(
        "optimisation metric",
        "A number that says whether the algorithm behaves: losses, KL, entropy, gradient norm. "
        "Necessary, and never enough.",
        _TELEMETRY,
        also=(
            "optimization metric",
            "optimization metrics",
        ),
    ),
    Term(
        "SPS",
        "Steps per second: how fast experience is collected.",
        _TELEMETRY,
        also=("steps per second",),
    ),
    Term(
        "EMA",
        "Exponential moving average: smoothing that forgets old values gradually.",
        _TELEMETRY,
        also=("exponential moving average",),
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
        also=("rm",),
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
        also=("td(λ)", "td(λ) returns"),
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
        also=("reward_breakdown",),
    ),
    Term(
        "warm start",
        "Beginning from a policy that was trained before. Early behaviour tells whether it took.",
        _GUIDE,
        also=("warmstart",),
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
        also=("ppo_training.log",),
    ),
    Term(
        "metrics/*.csv",
        "Tables with one row per step and one column per metric, for spreadsheets and scripts.",
        _GUIDE,
        also=("metrics/",),
    ),
    Term(
        "tensorboard",
        "The viewer for event files: tensorboard --logdir FOLDER, then a browser at port 6006.",
        f"{_GUIDE}; {_REFERENCE}",
        also=("viewing metrics in tensorboard", "tensorboard/"),
    ),
    Term(
        "val-core and val-aux",
        "veRL's validation metrics: the core ones say whether the model got better, the auxiliary "
        "ones help to understand why.",
        _GLOSSARY,
        also=(
            "val-core",
            "val-aux",
        ),
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
    Term(
        "telemetry",
        "Numbers that a run reports while it trains. Without them nobody sees that learning stalls, "
        "that a reward is hacked, or whether a change helped.",
        _TELEMETRY,
        also=("why metrics are not optional",),
    ),
    Term(
        "over-optimisation",
        "The policy leaves its reference so far that it pleases the reward and not the reader: KL "
        "rises, and held-out quality no longer does.",
        _TABLE,
        also=("over-optimization", "overoptimization", "overoptimisation"),
    ),
    Term(
        "under-training",
        "The policy has hardly moved: KL near zero, and nothing new learned.",
        _TABLE,
        also=("undertraining",),
    ),
    Term(
        "premature convergence",
        "The policy settles on one way of acting before it has tried others; entropy falls early "
        "and the outcome stops short.",
        _GLOSSARY,
    ),
    Term(
        "gradient explosion",
        "Gradients many times their usual size, from a bad batch, too high a rate or numerical "
        "trouble; one such step can undo a run.",
        _GLOSSARY,
        also=("exploding gradients",),
    ),
    Term(
        "overfitting",
        "Training data are known by heart while held-out data fare no better.",
        _GLOSSARY,
    ),
    Term(
        "held-out data",
        "Data that is never trained on, so that a score on it tells what was learned.",
        _GLOSSARY,
        also=("validation set", "generalization", "generalisation"),
    ),
    Term(
        "pulse",
        "A short rise of the temperature above its range, meant to shake a policy out of stagnation.",
        _GUIDE,
        also=("pulses", "temperature pulse", "temperature pulses"),
    ),
    Term(
        "chunk mode",
        "Training on a long workload piece by piece; training_progress.json counts the pieces.",
        _GUIDE,
        also=("chunk", "chunks"),
    ),
    Term(
        "logging outputs",
        "What a run leaves behind: a text log (training.log), TensorBoard events (tensorboard/) and "
        "tables (metrics/*.csv). `runvitals check FOLDER` reads each of them.",
        _GUIDE,
        also=("console / script log", "console log", "script log"),
    ),
    Term(
        "resume metadata",
        "What a run notes to be continued after an interruption: training_progress.json with "
        "completed_chunks, requests_done and latest_checkpoint.",
        _GUIDE,
    ),
    Term(
        "symptom",
        "A sign that something is wrong, with where to look first and next: "
        '`runvitals explain "KL spikes"`, or all of them on the page Symptoms of `runvitals serve`.',
        _GLOSSARY,
        also=("symptoms", "troubleshooting"),
    ),
    Term(
        "scenario",
        "What to watch for one kind of training: `runvitals metrics --scenario ppo-grpo`.",
        _GLOSSARY,
        also=("scenarios", "what to watch by scenario", "quick reference", "what to watch"),
    ),
    Term(
        "SimPO",
        "Simple preference optimisation: DPO without a reference model, on length-normalised "
        "log-probabilities.",
        _GLOSSARY,
    ),
    Term(
        "veRL",
        "ByteDance's library for reinforcement learning on language models. It names things by who "
        "computes them: actor/ for the policy, critic/ for values, rewards and advantages, timing_s/ "
        "and perf/ for speed, val-core/ for validation.",
        _GLOSSARY,
        also=("verl",),
    ),
    Term(
        "OpenRLHF",
        "A library for RLHF on Ray and vLLM. Its names are short and plain (reward, kl, "
        "response_length, actor_grad_norm), with train/ or eval/ before them in trackers.",
        _GLOSSARY,
    ),
    Term(
        "exam analogy",
        "Watch a training run like a student before an exam: the final exam score is what counts "
        "(validation), daily homework says whether they improve (reward, losses), study time whether "
        "they are efficient (timing, throughput), and the distribution of mistakes where they are "
        "weak (lengths, turns, parts of the reward). Read in this order.",
        _GLOSSARY,
        also=("student", "final exam", "reading order analogy"),
    ),
    Term(
        "TRL",
        "Hugging Face's library for post-training. Its SFTTrainer and DPOTrainer log to TensorBoard or "
        "Weights & Biases by themselves; runvitals reads both, and trainer_state.json.",
        _GLOSSARY,
        also=("SFTTrainer", "DPOTrainer"),
    ),
    Term(
        "rubric",
        "The criteria by which a teacher scores an answer, each with a weight: correctness, code "
        "quality, efficiency, documentation.",
        _REFERENCE,
        also=("scoring weights", "criterion", "criteria"),
    ),
)

TERMS: Mapping[str, Term] = {term.word: term for term in _TERMS}
_SYMBOL = re.compile(r"\s+\(.*\)$")  # "Policy (π)", "GAE (Generalized Advantage Estimation)"
_FOLDER = re.compile(r"^(?:<?OUTPUT_DIR>?|\.)/", re.IGNORECASE)  # as documents write paths


def find_term(word: str) -> Term | None:
    """The glossary entry of a word, in any case, or None.

    >>> find_term("gae").word
    'GAE'
    """
    asked = _FOLDER.sub("", word.strip()).casefold()
    for wanted in dict.fromkeys((asked, _SYMBOL.sub("", asked))):
        for term in _TERMS:
            if wanted in (term.word.casefold(), *(name.casefold() for name in term.also)):
                return term
    return None
