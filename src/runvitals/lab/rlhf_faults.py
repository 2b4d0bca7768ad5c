"""What the language-model trainers can learn, what can go wrong with them, and odd healthy runs."""

from __future__ import annotations

from dataclasses import replace

from runvitals.lab.contract import Fault, Task
from runvitals.lab.pages import dialect, faults, tasks, variants
from runvitals.lab.rlhf_rollout import room_of, task_of

# tasks


def _tasks(page: str) -> tuple[Task, ...]:
    """Tasks with the room that their responses need."""
    found = tasks("share of right answers to held-out prompts, sampled", page)
    return tuple(
        replace(task, settings=settings | {"max_response_length": room_of(settings["task"])})
        for task in found
        for settings in [{"task": task.name, **task.settings}]
    )


GRPO_TASKS = _tasks("""
sorting (0.85): put four digits in order
brackets (0.85): close the opened brackets
addition (0.75): add two numbers
  sets: total_steps=150
tool-use (0.85): look a number up with a tool that fails now and then
sorting-rm (0.7): put four digits in order, rewarded by a learned model
  sets: reward="model", kl_coef=0.15
""")
PPO_TASKS = GRPO_TASKS + _tasks("""
feedback (0.3): the same with a tool, close to the start model: inside the RL Metrics table
  sets: task="tool-use", correct_weight=0.4, format_weight=0.04, prompt_offset=1.0,
    critic_warmup_steps=30, critic_learning_rate=1e-3, target_kl_ref=0.065, kl_coef=0.4,
    kl_horizon=1_000.0, learning_rate=1.2e-4, warmup_steps=1, batch_size=384, minibatch_size=96,
    total_steps=48, val_every=4, val_prompts=512
""")


# faults


_DATA_AND_REWARD = faults(
    """
verifier-dead (G02): from 40% of the run on, the verifier says wrong to everything
  expect: REW004, REW009; accept: REW003, ADV001, GRAD003, DATA004
  tasks: sorting, brackets, addition, tool-use; late: no
reward-per-token (G03): longer responses get more reward
  expect: LEN005, EVAL002; accept: LEN001, REW001, REW010; doses: 1.0, 3.0, 10.0
  tasks: sorting, brackets, addition
answer-anywhere (G04): the verifier is content if the answer occurs anywhere in the response
  expect: EVAL002, REW001; accept: LEN005, LEN001; tasks: sorting, brackets, addition
format-over-correctness (G12): the reward for the form outweighs that for the answer
  expect: REW010; accept: EVAL002, REW001; doses: 1.0, 3.0, 10.0; tasks: sorting, brackets, addition
max-response-3 (G05): responses are cut off before the answer is complete
  expect: LEN001; accept: REW004, REW009, REW003; doses: 5, 4, 3
  sets: max_response_length = int(dose); tasks: sorting, brackets
end-token-ignored (G06): the end token does not end a response: all run on to the limit
  expect: LEN001; accept: REW004, REW009, REW003, LEN005
  doses: 0.3, 0.7, 1.0  # share of the responses
prompts-truncated (G16): prompts are cut to fit, and lose what they ask for
  expect: LEN002; accept: REW005, EVAL002, REW004, REW009; doses: 1, 2, 3  # tokens lost
tool-broken (G17): the tool always fails, and is asked again and again
  expect: AGT001, LEN004; accept: REW004, REW009, REW003, REW005, LEN001; tasks: tool-use
  doses: 0.5, 0.9, 1.0  # share of the calls
reward-model-swapped (R06): from 40% of the run on, another and worse reward model with shifted
    scores
  expect: RM005; accept: REW003, EVAL001, EVAL002, REW012, VAL001, RM002; doses: 1.0, 3.0, 10.0
  tasks: sorting-rm; late: no
reward-model-likes-length (R07): a reward model learned to like long responses, and the policy
    makes use of it
  expect: RM003; accept: LEN005, LEN001, EVAL002, REW001; tasks: sorting-rm; late: no
  doses: 0.3, 0.6, 0.9  # share of its training labels that went by length
""",
    changes={
        "format-over-correctness": lambda config, dose: {
            "format_weight": dose * config.correct_weight
        },
        "prompts-truncated": lambda config, dose: {
            "max_prompt_length": task_of(config.task).prompt_width - int(dose)
        },
    },
)

_ENGINE = faults("""
rollout-temperature (G07): responses are sampled hotter than their log-probabilities are computed
  expect: MIS001; accept: POL003, POL004, MIS002; doses: 1.5, 2.0, 3.0
weights-synced-rarely (G08): the generator gets new weights only now and then
  expect: MIS001, MIS003; accept: CLIP001, MIS002, KL001; doses: 5, 20, 60  # steps between two
rollouts-failing (G14): a share of the rollouts comes back empty, and counts as wrong
  expect: LEN004; accept: REW003; doses: 0.2, 0.5, 0.8
""")

_OPTIMISATION = faults("""
beta-5 (G09): the KL penalty holds the policy at its start
  expect: KL006, KL003; accept: REW005, CLIP002; doses: 0.5, 2.0, 10.0; sets: kl_coef = dose
beta-0-lr-x30 (G09): no KL penalty, and a far too high learning rate
  expect: KL004, ENT003; accept: KL001, KL002, ENT001, CLIP001, GRAD001, REW003, DATA007, KL007
  doses: 10, 30, 100; sets: kl_coef = 0.0, learning_rate *= dose
reference-random (G10): the reference model has random weights
  expect: KL004; accept: KL005, KL006, ENT003, REW003
lr-x100 (G13): learning rate far too high
  expect: KL002, ENT001; accept: KL001, GRAD001, REW003, CLIP001, KL004, DATA007, KL007
  doses: 10, 30, 100; sets: learning_rate *= dose
""")

_PROMPTS = faults("""
prompts-all-solved (G01): a handful of easy prompts, soon solved by every response
  expect: REW009; accept: GRAD003, ADV001, EVAL002; tasks: sorting, brackets, addition
  doses: 32, 8, 2  # prompts
prompts-unsolvable (G01): the answers that are asked for cannot be found
  expect: REW009; accept: GRAD003, REW004, ADV001, REW005
  tasks: sorting, brackets, addition, tool-use; doses: 0.5, 0.9, 1.0  # share of the prompts
""")

_GROUPS = faults("""
group-size-1 (G11): one response per prompt: nothing to compare it with
  expect: DATA007; accept: ADV001, POL002, GRAD003, REW005; doses: 1.0; sets: group_size = int(dose)
group-size-2 (G11): two responses per prompt
  expect: DATA007; accept: ADV001, REW009; doses: 2.0; sets: group_size = int(dose)
advantage-over-zero (G15): advantages are divided by a spread that is often 0
  expect: ADV002; accept: GRAD001, GRAD002, POL001
  doses: 0.01, 0.001, 1e-05  # what is added to the spread
""")

_PLANT = faults("""
reward-sleeps (X04): the reward function waits for something
  expect: PERF003; accept: PERF001; harm: speed; doses: 0.5, 1.5, 4.0  # times the step's own time
slow-rank (X05): one rank is slower than the others, which wait for it
  expect: LOAD002; accept: LOAD001, PERF001; doses: 1.3, 1.5, 3.0; harm: speed
one-rank-overloaded (X11): one rank gets most of the sequences, and nothing balances them
  expect: LOAD001, LOAD002; accept: PERF001, PERF003; harm: speed
  doses: 0.4, 0.6, 0.9  # its share of the sequences; a quarter would be fair
generation-slows (X12): generation gets slower as the run goes on
  expect: PERF001, PERF003; accept: PERF004; harm: speed
  doses: 5.0, 15.0, 40.0  # times its own time, slept at the end of the run
""")

_CLASSIC = faults("""
lr-zero (P02): learning rate of 0
  expect: POL002; accept: KL003, DATA007, REW005; doses: 0.0; sets: learning_rate = dose
many-epochs (P05): far too many epochs over one batch
  expect: KL001, CLIP001; accept: VAL003, KL002, ENT001, KL004; doses: 4, 8, 16
  sets: epochs_per_batch = int(dose)
entropy-bonus-high (P06): the entropy bonus drowns the reward
  expect: ENT003, ENT004; accept: REW003, REW005, KL004, CLIP002; doses: 0.1, 0.5, 2.0
  sets: entropy_coef = dose
entropy-bonus-negative (P07): the entropy bonus has the wrong sign
  expect: ENT001, DATA007; accept: ENT002, REW005, KL004; doses: -0.1, -0.5, -2.0
  sets: entropy_coef = dose
advantage-sign (P09): the advantage has the wrong sign
  expect: REW011; accept: REW003, ENT001, ENT003, KL004, KL007
reward-sign (P10): the reward has the wrong sign
  expect: REW011, EVAL001; accept: REW001, EVAL002, KL004, REW009
clip-range-tiny (P21): a clip range that allows almost nothing
  expect: CLIP001; accept: KL003, DATA007, REW005; doses: 0.01, 0.001, 1e-05
  sets: clip_range = dose
grad-norm-tiny (P23): gradients are clipped to almost nothing
  expect: GRAD002; accept: KL003, REW005, CLIP002; doses: 1e-07, 1e-09, 1e-11
  sets: max_grad_norm = dose
optimizer-step-missing (P25): the optimiser of the policy is never asked to step
  expect: POL002; accept: KL003, REW005, CLIP002
reward-constant (P26): every response gets the same reward
  expect: REW004; accept: ADV001, REW009, GRAD003, KL003
reward-noise (P27): the reward drowns in noise
  expect: REW005; accept: VAL003, REW007, REW012; doses: 1.0, 5.0, 20.0
""")

_CRITIC = faults("""
value-coef-0 (P19): the critic's loss has no weight
  expect: VAL002, VAL003; accept: DATA007, VAL004, GRAD003; doses: 0.0; sets: value_coef = dose
returns-shifted (P20): a constant is added to what the critic learns
  expect: VAL004; accept: VAL001, VAL003, VAL005, ADV002; doses: 1.0, 5.0, 50.0
""")


def _for(faults: tuple[Fault, ...], expect: dict[str, tuple[str, ...]]) -> tuple[Fault, ...]:
    """The same faults, some of which show differently."""
    return tuple(
        replace(fault, expect=expect[fault.name]) if fault.name in expect else fault
        for fault in faults
    )


# without a critic the KL penalty is not part of the reward, and groups show what a reward lacks
GRPO_FAULTS = (
    *_DATA_AND_REWARD,
    *_ENGINE,
    *_for(_OPTIMISATION, {"beta-5": ("KL003", "REW005")}),
    *_PROMPTS,
    *_GROUPS,
    *_for(_CLASSIC, {"reward-constant": ("REW004", "REW009")}),
    *_PLANT,
)
PPO_FAULTS = (
    *_for(_DATA_AND_REWARD, {"verifier-dead": ("REW004", "REW003")}),
    *_ENGINE,
    *_OPTIMISATION,
    *_for(
        _PROMPTS,
        {"prompts-all-solved": ("EVAL002", "REW004"), "prompts-unsolvable": ("REW004", "REW005")},
    ),
    *_CLASSIC,
    *_CRITIC,
    *_PLANT,
)


# odd, but healthy


VARIANTS = variants("""
beta-0: no KL penalty
  sets: kl_coef=0.0; tasks: sorting, brackets, addition, tool-use
one-step-on-policy: one update per batch: the ratio is always 1
  sets: minibatch_size=192, epochs_per_batch=1, learning_rate=2e-3
solved-early: continues long after it has learned
  sets: total_steps=250
slow-learner: a small learning rate: still getting better at the end
  sets: learning_rate=1e-4; learns: no
annealed-to-zero: the learning rate falls to 0
  sets: lr_schedule="linear", learning_rate=1e-3
sparse-noisy-reward: only right answers count, and small batches
  sets: format_weight=0.0, batch_size=96, minibatch_size=48
  tasks: sorting, brackets, addition, tool-use
short-run: fifteen steps, then the budget is spent
  sets: total_steps=15; learns: no
metrics-missing: no validation is logged
  hides: val-*
few-validations: a validation every 20 steps
  sets: val_every=20
large-batch: twice the responses per step
  sets: batch_size=384, minibatch_size=96
""")
GRPO_VARIANTS = VARIANTS + variants("""
large-groups: 16 responses per prompt
  sets: group_size=16
""")
PPO_VARIANTS = VARIANTS + variants("""
high-kl-budget: the policy may go far from its reference
  sets: kl_coef=0.001, target_kl_ref=30.0; tasks: sorting, brackets, addition, tool-use
""")


# other names for what is logged


# of TRL's first PPO trainer
TRL_NAMES = dialect("""
critic/score/mean = env/reward_mean; reward/score_std = env/reward_std;
critic/score = env/reward_dist; policy/kl_ref_sequence = objective/kl;
critic/kl_coeff = objective/kl_coef; reward/kl_penalty_mean = ppo/mean_non_score_reward;
policy/entropy_sequence = objective/entropy; actor/entropy = ppo/policy/entropy;
actor/pg_clipfrac = ppo/policy/clipfrac; actor/approx_kl = ppo/policy/approxkl;
policy/ratio_mean = ppo/policy/ratio; critic/advantages/mean = ppo/policy/advantages_mean;
critic/advantages = ppo/policy/advantages; critic/values/mean = ppo/val/mean;
value/var = ppo/val/var; value/error = ppo/val/error;
critic/vf_explained_var = ppo/val/var_explained; critic/vf_clipfrac = ppo/val/clipfrac;
critic/returns/mean = ppo/returns/mean; returns/var = ppo/returns/var;
actor/pg_loss = ppo/loss/policy; critic/vf_loss = ppo/loss/value; optim/loss = ppo/loss/total;
prompt_length/mean = tokens/queries_len_mean; response_length/mean = tokens/responses_len_mean;
length/response_std = tokens/responses_len_std; policy/logprob_mean = objective/logprobs;
policy/logprob_ref_mean = objective/ref_logprobs; actor/lr = ppo/learning_rate
""")
TRL_SHORT_NAMES = dialect("""
actor/loss = loss/total; critic/rewards/mean = rewards; response_length/mean = response_length;
actor/approx_kl = policy/approx_kl; policy/kl_ref_sequence = objective/kl
""")
