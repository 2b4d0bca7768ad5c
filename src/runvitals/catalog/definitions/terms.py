"""Words of the trade, in a sentence each.

An entry is the word, its definition, and the fields `also` (other spellings) and `source`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from runvitals.catalog.definitions.pages import entries, fields, phrases, sources
from runvitals.model import Term

__all__ = ["TERMS", "find_term"]

_PAGE = """
policy
  What the agent does: a function from states to probabilities of actions.
  source: table

value function
  The return to expect from a state when the policy goes on as it is; the critic learns it.
  also: value
  source: table

advantage
  How much better an action is than what the policy does on average there.
  source: table

return
  The sum of rewards to come, each later one discounted a little more.
  source: table

entropy
  How random the policy is. Randomness is exploration.
  source: table

KL divergence
  How far one distribution lies from another: new policy from old, or policy from reference. The two
    are different metrics and must not be mixed.
  also: kl
  source: table

clipping
  PPO ignores the gain from moving the probability ratio beyond a small range around 1, so that one
    batch cannot wreck the policy.
  also: clip | clipping (ppo)
  source: table

GAE
  Generalised advantage estimation: advantages smoothed over many steps, with lambda trading bias
    against variance.
  also: generalized advantage estimation | generalised advantage estimation
  source: table

explained variance
  The share of the variance of returns that the critic accounts for; its school mark.
  source: table

importance ratio
  Probability of a sampled action under the new policy over the old one.
  source: table

MFU
  Model FLOPs utilisation: useful arithmetic done, divided by what the devices could do in the same
    time.
  also: model flops utilization | model flops utilisation
  source: glossary

reward hacking
  The learner is paid more and more without doing the task better. Visible when the reward rises and
    success, validation or length do not agree.
  source: telemetry

outcome metric
  A number that says whether the task is done better: success, return, score.
  also: outcome metrics
  source: telemetry

optimisation metric
  A number that says whether the algorithm behaves: losses, KL, entropy, gradient norm. Necessary,
    and never enough.
  also: optimization metric | optimization metrics
  source: telemetry

SPS
  Steps per second: how fast experience is collected.
  also: steps per second
  source: telemetry

EMA
  Exponential moving average: smoothing that forgets old values gradually.
  also: exponential moving average
  source: telemetry

critic
  The network that predicts values; its errors become errors of the advantages.
  source: glossary

actor
  The network that is the policy.
  source: glossary

rollout
  Letting the policy act, or the model write, to collect experience.
  source: glossary

reference model
  A frozen copy of the model at the start; the KL penalty ties the policy to it.
  source: glossary

reward model
  A model trained on human preferences to score answers: the judge.
  also: rm
  source: glossary

reward margin
  Score of the preferred answer minus score of the other one: how decisive the judge is.
  source: glossary

TD(lambda)
  Return targets that mix sampled rewards with the critic's own predictions.
  also: td(λ) | td(λ) returns
  source: table

GRPO
  Group relative policy optimisation: several answers to a prompt are compared with each other,
    which replaces the critic.

PPO
  Proximal policy optimisation: several small clipped updates on each batch of experience.

DPO
  Direct preference optimisation: learns from pairs of answers without a reward model.

SFT
  Supervised fine-tuning: next-token prediction on good answers.

epoch
  One pass over the data, or, in PPO, one pass over the current batch.

staleness
  How many weight updates happened between sampling and training on the sample.

surrogate objective
  What a policy-gradient update maximises; its negative is the policy loss. A means to an end, and
    no score.
  source: telemetry

reward breakdown
  The total reward beside each of its parts, so that a part that masks another one shows.
  also: reward_breakdown
  source: guide

warm start
  Beginning from a policy that was trained before. Early behaviour tells whether it took.
  also: warmstart
  source: guide

training_progress.json
  The file of a run that says how far it has come: completed_chunks, requests_done and
    latest_checkpoint. Look at it after an interruption.
  source: guide

latest_checkpoint
  The newest saved state of a run, noted in training_progress.json; where a resumed run goes on
    from.
  source: guide

training.log
  The console output of a run as text: losses, KL, entropy and the reward breakdown, update by
    update.
  also: ppo_training.log
  source: guide

metrics/*.csv
  Tables with one row per step and one column per metric, for spreadsheets and scripts.
  also: metrics/
  source: guide

tensorboard
  The viewer for event files: tensorboard --logdir FOLDER, then a browser at port 6006.
  also: viewing metrics in tensorboard | tensorboard/
  source: guide; reference

val-core and val-aux
  veRL's validation metrics: the core ones say whether the model got better, the auxiliary ones help
    to understand why.
  also: val-core | val-aux
  source: glossary

P99
  The 99th percentile: 99 of 100 values lie below it. Of a speed it is near the best, of a time near
    the worst.
  source: reference

KTO
  Kahneman-Tversky optimisation: learns from single answers marked good or bad, without pairs.

pass@k
  The chance that at least one of k answers is right.

telemetry
  Numbers that a run reports while it trains. Without them nobody sees that learning stalls, that a
    reward is hacked, or whether a change helped.
  also: why metrics are not optional
  source: telemetry

over-optimisation
  The policy leaves its reference so far that it pleases the reward and not the reader: KL rises,
    and held-out quality no longer does.
  also: over-optimization | overoptimization | overoptimisation
  source: table

under-training
  The policy has hardly moved: KL near zero, and nothing new learned.
  also: undertraining
  source: table

premature convergence
  The policy settles on one way of acting before it has tried others; entropy falls early and the
    outcome stops short.
  source: glossary

gradient explosion
  Gradients many times their usual size, from a bad batch, too high a rate or numerical trouble; one
    such step can undo a run.
  also: exploding gradients
  source: glossary

overfitting
  Training data are known by heart while held-out data fare no better.
  source: glossary

held-out data
  Data that is never trained on, so that a score on it tells what was learned.
  also: validation set | generalization | generalisation
  source: glossary

pulse
  A short rise of the temperature above its range, meant to shake a policy out of stagnation.
  also: pulses | temperature pulse | temperature pulses
  source: guide

chunk mode
  Training on a long workload piece by piece; training_progress.json counts the pieces.
  also: chunk | chunks
  source: guide

logging outputs
  What a run leaves behind: a text log (training.log), TensorBoard events (tensorboard/) and tables
    (metrics/*.csv). `runvitals check FOLDER` reads each of them.
  also: console / script log | console log | script log
  source: guide

resume metadata
  What a run notes to be continued after an interruption: training_progress.json with
    completed_chunks, requests_done and latest_checkpoint.
  source: guide

symptom
  A sign that something is wrong, with where to look first and next: `runvitals explain "KL
    spikes"`, or all of them on the page Symptoms of `runvitals serve`.
  also: symptoms | troubleshooting
  source: glossary

scenario
  What to watch for one kind of training: `runvitals metrics --scenario ppo-grpo`.
  also: scenarios | what to watch by scenario | quick reference | what to watch
  source: glossary

SimPO
  Simple preference optimisation: DPO without a reference model, on length-normalised
    log-probabilities.
  source: glossary

veRL
  ByteDance's library for reinforcement learning on language models. It names things by who computes
    them: actor/ for the policy, critic/ for values, rewards and advantages, timing_s/ and perf/ for
    speed, val-core/ for validation.
  also: verl
  source: glossary

OpenRLHF
  A library for RLHF on Ray and vLLM. Its names are short and plain (reward, kl, response_length,
    actor_grad_norm), with train/ or eval/ before them in trackers.
  source: glossary

exam analogy
  Watch a training run like a student before an exam: the final exam score is what counts
    (validation), daily homework says whether they improve (reward, losses), study time whether they
    are efficient (timing, throughput), and the distribution of mistakes where they are weak
    (lengths, turns, parts of the reward). Read in this order.
  also: student | final exam | reading order analogy
  source: glossary

TRL
  Hugging Face's library for post-training. Its SFTTrainer and DPOTrainer log to TensorBoard or
    Weights & Biases by themselves; runvitals reads both, and trainer_state.json.
  also: SFTTrainer | DPOTrainer
  source: glossary

rubric
  The criteria by which a teacher scores an answer, each with a weight: correctness, code quality,
    efficiency, documentation.
  also: scoring weights | criterion | criteria
  source: reference
"""


def _terms() -> Iterator[Term]:
    for word, (definition, *rest) in entries(_PAGE):
        known = fields(rest, "also", "source")
        also = phrases(known.get("also", ""))
        yield Term(word, definition, sources(known.get("source", "")), also)


TERMS: Mapping[str, Term] = {term.word: term for term in _terms()}
_SYMBOL = re.compile(r"\s+\(.*\)$")  # "Policy (π)", "GAE (Generalized Advantage Estimation)"
_FOLDER = re.compile(r"^(?:<?OUTPUT_DIR>?|\.)/", re.IGNORECASE)  # as documents write paths


def find_term(word: str) -> Term | None:
    """The glossary entry of a word, in any case, or None.

    >>> find_term("gae").word
    'GAE'
    """
    asked = _FOLDER.sub("", word.strip()).casefold()
    for wanted in dict.fromkeys((asked, _SYMBOL.sub("", asked))):
        for term in TERMS.values():
            if wanted in (term.word.casefold(), *(name.casefold() for name in term.also)):
                return term
    return None
