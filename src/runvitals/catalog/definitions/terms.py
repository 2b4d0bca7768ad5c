"""Words of the trade, in a sentence each.

A line is `word | other spelling: definition [source]`; an indented line continues the one above.
"""

import re
from collections.abc import Iterator, Mapping

from runvitals.catalog.definitions.pages import with_source
from runvitals.model import Term

__all__ = ["TERMS", "find_term"]

_PAGE = """
policy: What the agent does: a function from states to probabilities of actions. [table]
value function | value: The return to expect from a state when the policy goes on as it is; the
  critic learns it. [table]
advantage: How much better an action is than what the policy does on average there. [table]
return: The sum of rewards to come, each later one discounted a little more. [table]
entropy: How random the policy is. Randomness is exploration. [table]
KL divergence | kl: How far one distribution lies from another: new policy from old, or policy from
  reference. The two are different metrics and must not be mixed. [table]
clipping | clip | clipping (ppo): PPO ignores the gain from moving the probability ratio beyond a
  small range around 1, so that one batch cannot wreck the policy. [table]
GAE | generalized advantage estimation | generalised advantage estimation: Generalised advantage
  estimation: advantages smoothed over many steps, with lambda trading bias against variance.
  [table]
explained variance: The share of the variance of returns that the critic accounts for; its school
  mark. [table]
importance ratio: Probability of a sampled action under the new policy over the old one. [table]
MFU | model flops utilization | model flops utilisation: Model FLOPs utilisation: useful arithmetic
  done, divided by what the devices could do in the same time. [glossary]
reward hacking: The learner is paid more and more without doing the task better. Visible when the
  reward rises and success, validation or length do not agree. [telemetry]
outcome metric | outcome metrics: A number that says whether the task is done better: success,
  return, score. [telemetry]
optimisation metric | optimization metric | optimization metrics: A number that says whether the
  algorithm behaves: losses, KL, entropy, gradient norm. Necessary, and never enough. [telemetry]
SPS | steps per second: Steps per second: how fast experience is collected. [telemetry]
EMA | exponential moving average: Exponential moving average: smoothing that forgets old values
  gradually. [telemetry]
critic: The network that predicts values; its errors become errors of the advantages. [glossary]
actor: The network that is the policy. [glossary]
rollout: Letting the policy act, or the model write, to collect experience. [glossary]
reference model: A frozen copy of the model at the start; the KL penalty ties the policy to it.
  [glossary]
reward model | rm: A model trained on human preferences to score answers: the judge. [glossary]
reward margin: Score of the preferred answer minus score of the other one: how decisive the judge
  is. [glossary]
TD(lambda) | td(λ) | td(λ) returns: Return targets that mix sampled rewards with the critic's own
  predictions. [table]
GRPO: Group relative policy optimisation: several answers to a prompt are compared with each other,
  which replaces the critic.
PPO: Proximal policy optimisation: several small clipped updates on each batch of experience.
DPO: Direct preference optimisation: learns from pairs of answers without a reward model.
SFT: Supervised fine-tuning: next-token prediction on good answers.
epoch: One pass over the data, or, in PPO, one pass over the current batch.
staleness: How many weight updates happened between sampling and training on the sample.
surrogate objective: What a policy-gradient update maximises; its negative is the policy loss. A
  means to an end, and no score. [telemetry]
reward breakdown | reward_breakdown: The total reward beside each of its parts, so that a part that
  masks another one shows. [guide]
warm start | warmstart: Beginning from a policy that was trained before. Early behaviour tells
  whether it took. [guide]
training_progress.json: The file of a run that says how far it has come: completed_chunks,
  requests_done and latest_checkpoint. Look at it after an interruption. [guide]
latest_checkpoint: The newest saved state of a run, noted in training_progress.json; where a resumed
  run goes on from. [guide]
training.log | ppo_training.log: The console output of a run as text: losses, KL, entropy and the
  reward breakdown, update by update. [guide]
metrics/*.csv | metrics/: Tables with one row per step and one column per metric, for spreadsheets
  and scripts. [guide]
tensorboard | viewing metrics in tensorboard | tensorboard/: The viewer for event files: tensorboard
  --logdir FOLDER, then a browser at port 6006. [guide; reference]
val-core and val-aux | val-core | val-aux: veRL's validation metrics: the core ones say whether the
  model got better, the auxiliary ones help to understand why. [glossary]
P99: The 99th percentile: 99 of 100 values lie below it. Of a speed it is near the best, of a time
  near the worst. [reference]
KTO: Kahneman-Tversky optimisation: learns from single answers marked good or bad, without pairs.
pass@k: The chance that at least one of k answers is right.
telemetry | why metrics are not optional: Numbers that a run reports while it trains. Without them
  nobody sees that learning stalls, that a reward is hacked, or whether a change helped. [telemetry]
over-optimisation | over-optimization | overoptimization | overoptimisation: The policy leaves its
  reference so far that it pleases the reward and not the reader: KL rises, and held-out quality no
  longer does. [table]
under-training | undertraining: The policy has hardly moved: KL near zero, and nothing new learned.
  [table]
premature convergence: The policy settles on one way of acting before it has tried others; entropy
  falls early and the outcome stops short. [glossary]
gradient explosion | exploding gradients: Gradients many times their usual size, from a bad batch,
  too high a rate or numerical trouble; one such step can undo a run. [glossary]
overfitting: Training data are known by heart while held-out data fare no better. [glossary]
held-out data | validation set | generalization | generalisation: Data that is never trained on, so
  that a score on it tells what was learned. [glossary]
pulse | pulses | temperature pulse | temperature pulses: A short rise of the temperature above its
  range, meant to shake a policy out of stagnation. [guide]
chunk mode | chunk | chunks: Training on a long workload piece by piece; training_progress.json
  counts the pieces. [guide]
logging outputs | console / script log | console log | script log: What a run leaves behind: a text
  log (training.log), TensorBoard events (tensorboard/) and tables (metrics/*.csv). `runvitals check
  FOLDER` reads each of them. [guide]
resume metadata: What a run notes to be continued after an interruption: training_progress.json with
  completed_chunks, requests_done and latest_checkpoint. [guide]
symptom | symptoms | troubleshooting: A sign that something is wrong, with where to look first and
  next: `runvitals explain "KL spikes"`, or all of them on the page Symptoms of `runvitals serve`.
  [glossary]
scenario | scenarios | what to watch by scenario | quick reference | what to watch: What to watch
  for one kind of training: `runvitals metrics --scenario ppo-grpo`. [glossary]
SimPO: Simple preference optimisation: DPO without a reference model, on length-normalised
  log-probabilities. [glossary]
veRL | verl: ByteDance's library for reinforcement learning on language models. It names things by
  who computes them: actor/ for the policy, critic/ for values, rewards and advantages, timing_s/
  and perf/ for speed, val-core/ for validation. [glossary]
OpenRLHF: A library for RLHF on Ray and vLLM. Its names are short and plain (reward, kl,
  response_length, actor_grad_norm), with train/ or eval/ before them in trackers. [glossary]
exam analogy | student | final exam | reading order analogy: Watch a training run like a student
  before an exam: the final exam score is what counts (validation), daily homework says whether they
  improve (reward, losses), study time whether they are efficient (timing, throughput), and the
  distribution of mistakes where they are weak (lengths, turns, parts of the reward). Read in this
  order. [glossary]
TRL | SFTTrainer | DPOTrainer: Hugging Face's library for post-training. Its SFTTrainer and
  DPOTrainer log to TensorBoard or Weights & Biases by themselves; runvitals reads both, and
  trainer_state.json. [glossary]
rubric | scoring weights | criterion | criteria: The criteria by which a teacher scores an answer,
  each with a weight: correctness, code quality, efficiency, documentation. [reference]
"""


def _terms() -> Iterator[Term]:
    for line in _PAGE.strip().replace("\n  ", " ").splitlines():
        words, _, text = line.partition(": ")
        word, *also = words.split(" | ")
        yield Term(word, *with_source(text), tuple(also))


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
