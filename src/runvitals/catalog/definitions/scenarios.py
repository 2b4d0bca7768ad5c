"""What to watch for each kind of training, and what five documents list section by section.

An entry is `id: title` with the fields `algorithms`, `source`, `tools` and `also`, then its groups, the
most telling first: `group: title: note`, and below it `metrics`, `names` (those of the document) and
`also`.
"""

from collections.abc import Iterator, Mapping

from runvitals.catalog.definitions.pages import DOCUMENTS, entries, fields, items, phrases
from runvitals.model import Scenario, WatchGroup

__all__ = ["CHAPTERS", "SCENARIOS"]

_WHAT_TO_WATCH = """
minimum-dashboard: Minimum viable dashboard
  source: telemetry
  tools: glossary
  also: minimum dashboard
  group: Outcome: Is the task done better?
  metrics: outcome/success_rate, outcome/win_rate, outcome/return_mean
  names: success_rate, win_rate, avg_return
  group: Health: Does the algorithm behave?
  metrics: policy/entropy, policy/approx_kl, value/loss
  names: entropy, approx_kl, value_loss
  group: Performance: Is time being wasted?
  metrics: throughput/env_steps_per_s, throughput/updates_per_s
  names: steps_per_second, updates_per_second
  group: Domain: Add what the task itself offers next.
  metrics: outcome/distance_to_goal, outcome/collision_rate, outcome/score_mean
  names: distance_to_goal, collision_rate
  also: domain-specific metrics | task-specific score

reading-order: Reading order: what to look at first, then
  source: glossary
  also: what to watch first | watch first
  group: Validation: The final exam: did the model get better? Nothing else matters as much.
  metrics: eval/mean_at_n, eval/score_mean, eval/reward/score_mean
  group: Actor: Daily homework and practice: is the policy trained in a healthy way?
  metrics: policy/loss_total, policy/grad_norm, policy/entropy, policy/kl_old, policy/clip_fraction,
    policy/learning_rate
  group: Critic and reward: Scores from the teacher: if they are wrong, the policy learns the wrong
    thing.
  metrics: reward/mean, value/loss, value/mean, advantage/mean, advantage/std
  group: Length: Is the response too long or too short?
  metrics: length/response_mean, length/response_clip_ratio, length/aborted_ratio
  group: Preferences: The report card of preference learning, for DPO and its kin.
  metrics: preference/loss, preference/margin, preference/accuracy
  group: Reward model: Training the judge, where one is trained.
  metrics: rm/loss, rm/accuracy, rm/margin
  group: Turns: How many did it take?
  metrics: agent/turns_mean, agent/turns_max
  group: Load: Is work evenly distributed? The slowest rank sets the pace.
  metrics: balance/seqlen_diff, balance/seqlen_max
  group: Timing: Study time: where does it go? The step first, then its slowest part.
  metrics: time/step_s, time/generation_s, time/policy_update_s
  group: Performance: Is GPU utilisation high enough?
  metrics: throughput/tokens_per_s_per_device, throughput/mfu

ppo-grpo: PPO and GRPO on language models
  algorithms: PPO, GRPO, RLOO, REINFORCE++, DAPO, GSPO, CISPO
  source: glossary
  tools: verl
  group: Effectiveness: Validation first, then the trend of the reward.
  metrics: eval/mean_at_n, reward/mean, eval/score_mean, reward/score_mean
  names: val-core/*/acc/mean@1, critic/rewards/mean
  group: Stability
  metrics: policy/loss_total, policy/grad_norm, policy/kl_old, policy/clip_fraction,
    policy/approx_kl, policy/entropy, policy/kl_ref
  names: actor/loss, actor/grad_norm, actor/ppo_kl, actor/pg_clipfrac
  group: Efficiency
  metrics: throughput/tokens_per_s_per_device, time/generation_s, throughput/mfu
  names: perf/throughput, timing_s/gen
  group: Data
  metrics: length/response_mean, length/response_clip_ratio, balance/seqlen_diff,
    reward/zero_std_fraction
  names: response_length/mean, response_length/clip_ratio, global_seqlen/minmax_diff

dpo-kto: DPO, KTO and other preference optimisation
  algorithms: DPO, KTO, SimPO, ORPO, CPO, IPO
  source: glossary
  tools: glossary, trl
  group: Effectiveness: How well are good answers told from bad ones?
  metrics: preference/margin, preference/accuracy
  names: rewards/margins, rewards/accuracy
  group: Stability
  metrics: preference/loss, optim/grad_norm, optim/learning_rate
  names: loss/dpo
  group: Overfitting check: Accuracy at 99 percent and more while evaluation stands still is
    memorising.
  metrics: preference/accuracy, eval/preference/accuracy, eval/loss, preference/chosen_reward,
    preference/rejected_reward
  names: rewards/accuracy

reward-model: Reward-model training
  algorithms: RM, Reward, PRM
  source: glossary
  tools: glossary
  group: Effectiveness: Does the judge judge well, and clearly?
  metrics: rm/accuracy, rm/margin
  names: rm/accuracy, rm/reward_margin
  group: Generalization: Validation accuracy has to follow training accuracy.
  metrics: eval/rm/accuracy, rm/accuracy, eval/rm/loss, rm/loss
  also: generalisation
  group: Stability
  metrics: rm/grad_norm, optim/grad_norm, optim/learning_rate

sft: Supervised fine-tuning
  algorithms: SFT, PT, LoRA
  also: supervised learning
  group: Effect
  metrics: eval/loss, lm/loss, lm/token_accuracy, eval/perplexity
  group: Stability
  metrics: optim/grad_norm, optim/learning_rate, optim/loss
  group: Efficiency
  metrics: throughput/tokens_per_s, throughput/tokens_per_s_per_device

must-watch: Must-watch numbers of a PPO scheduler
  algorithms: PPO
  source: guide
  tools: vidur-ppo-scheduler
  also: Training Monitoring Guide
  group: Must-watch scalars: Against the run's own target_kl, entropy_min, max_grad_norm and
    temperature bounds.
  metrics: policy/approx_kl, policy/entropy, policy/clip_fraction, optim/grad_norm,
    policy/temperature, reward/component_mean
  names: approx_kl, entropy, clipfrac, pg_grad_norm, current_temperature, balance_penalty
  group: Action distribution: Near uniform, unless the workload wants it otherwise; the first chunks
    tell whether a warm start took.
  metrics: policy/action_share
  names: Actions/replica_*, action_replica_n
  also: action distribution insight
  group: Temperature and pressure: Do latency spikes fall together with a low temperature?
  metrics: policy/temperature, control/pressure, control/pulse_active
  names: temp_current_temperature, temp_qps_pressure_ema, temp_latency_pressure_ema, temp_is_pulsing
  group: Reward breakdown: Total, absolute score, delta score and balance penalty.
  metrics: reward/mean, reward/component_mean
  names: reward, reward_mean, absolute_score, delta_score, balance_penalty
  group: Resume metadata: training_progress.json has them, and latest_checkpoint.
  metrics: progress/chunks, progress/requests
  names: completed_chunks, requests_done
  group: CSV exports: One row a step in metrics/*.csv, while metrics_export_enabled is on.
  metrics: policy/approx_kl, policy/clip_fraction, policy/entropy, policy/temperature
  names: approx_kl, clipfrac, entropy, temperature

teacher-tuning: Teacher-scored fine-tuning
  algorithms: REINFORCE
  source: reference
  tools: teacher-tuner
  also: Key Metrics to Monitor | Metric Groups
  group: Training health: Reward up to 0.7 and more, loss down and steady, variance below 0.01.
  metrics: reward/mean, policy/loss_total, reward/var
  names: Epoch/AvgReward, Epoch/AvgLoss, Epoch/RewardVariance
  group: Performance bottlenecks: Below one generated token a second, use a faster backend.
  metrics: throughput/generation_tokens_per_s, throughput/tokens_per_s
  names: Performance/Generation_TokensPerSec, Performance/Backprop_TokensPerSec
  group: System resources: GPU above 50 percent, memory below 90 percent.
  metrics: system/gpu_utilization_percent, system/memory_percent
  names: System/GPU_Utilization, System/Memory_Percent
  group: Convergence indicators: Both positive, and coming closer to zero.
  metrics: reward/trend, optim/loss_trend
  names: Epoch/RewardTrend, Epoch/LossTrend
  group: Reward analysis
  metrics: reward/mean, reward/trend, reward/var, reward/std
  names: Epoch/AvgReward, Epoch/RewardTrend, Epoch/RewardVariance, Train/RewardStd,
    Train/RewardVariance
  group: Loss analysis
  metrics: policy/loss_total, optim/loss_trend, policy/loss, policy/kl_loss
  names: Epoch/AvgLoss, Epoch/LossTrend, Train/Loss, Train/PolicyLoss, Train/KLPenalty
  group: Performance analysis: Average and 99th percentile.
  metrics: throughput/generation_tokens_per_s, throughput/tokens_per_s, time/generation_s
  names: Performance/Generation_AvgTokensPerSec, Performance/Generation_P99TokensPerSec,
    Performance/Backprop_AvgTokensPerSec, Performance/Backprop_P99TokensPerSec
  group: System health
  metrics: system/cpu_percent, system/memory_percent, system/gpu_utilization_percent,
    system/gpu_memory_percent
  names: System/CPU_Percent, System/Memory_Percent, System/GPU_Utilization,
    System/GPU_Memory_Percent
  group: Cost
  metrics: data/teacher_tokens, data/samples_per_step

classic-rl: PPO and A2C in environments
  algorithms: PPO, A2C, TRPO, IMPALA
  group: Outcome
  metrics: eval/return_mean, outcome/return_mean, outcome/success_rate, outcome/episode_length_mean
  group: Policy
  metrics: policy/entropy, policy/approx_kl, policy/clip_fraction, policy/loss, policy/action_std
  group: Critic
  metrics: value/explained_variance, value/loss
  group: Speed
  metrics: throughput/env_steps_per_s, throughput/updates_per_s

off-policy-rl: SAC, TD3 and DQN
  algorithms: SAC, TD3, DDPG, DQN, QRDQN, TQC
  group: Outcome
  metrics: eval/return_mean, outcome/return_mean, outcome/success_rate
  group: Critic: The loss may well grow while the return improves; watch Q against the return.
  metrics: value/q_mean, value/loss, value/td_error, value/q_target_mean
  group: Exploration
  metrics: policy/entropy_coef, explore/epsilon, explore/noise_std
  group: Replay
  metrics: replay/size, replay/ratio
  group: Speed
  metrics: throughput/env_steps_per_s, throughput/updates_per_s
"""

# Sections that explain what there is; those that say what to watch are above.
_SECTIONS = """
telemetry: Training Metrics and Telemetry
  source: telemetry
  tools: glossary
  group: Optimization metrics: Does the algorithm behave? Necessary, and never enough.
  metrics: policy/loss, value/loss, policy/entropy, policy/approx_kl, optim/grad_norm
  names: policy_loss, value_loss, entropy, approx_kl
  also: optimisation metrics | internal health | loss metrics
  group: Outcome metrics: Is the task done better? Judge a run by these.
  names: win_rate, success_rate, avg_return, episode_length
  also: optimization vs outcomes | product truth
  group: Core RL metrics
  names: avg_reward, avg_return, success_rate, win_rate, win_rate_ema, episode_length
  group: PPO-specific health metrics
  names: policy_loss, value_loss, entropy, approx_kl, clip_fraction
  also: PPO health metrics
  group: Performance metrics: Are we wasting time?
  names: steps_per_second, updates_per_second
  group: Hyperparameter tracking: Write these down with every run, and with them batch sizes,
    epochs, the value coefficient, gamma, lambda and seeds: runvitals.init(config=...) keeps them
    all.
  metrics: optim/learning_rate, policy/clip_range, policy/entropy_coef
  names: current_lr, clip_epsilon
  also: hyperparameters | current config | reproducibility

rl-metrics: RL Metrics
  source: table
  tools: trl
  also: RL metrics table
  group: Reward
  names: env/reward_mean, env/reward_std, env/reward_dist
  group: KL divergence: Rising: over-optimisation. Falling: under-training.
  names: objective/kl, objective/kl_coef, ppo/mean_non_score_reward
  group: Entropy
  names: objective/entropy, ppo/policy/entropy
  group: Policy stability
  names: ppo/policy/clipfrac, ppo/policy/approxkl, ppo/policy/ratio, ppo/policy/advantages_mean,
    ppo/policy/advantages
  group: Value function
  names: ppo/val/mean, ppo/val/var, ppo/val/error, ppo/val/var_explained, ppo/val/clipfrac,
    ppo/returns/mean, ppo/returns/var
  group: Losses
  names: ppo/loss/policy, ppo/loss/value, ppo/loss/total
  group: Token stats: For language models.
  names: tokens/queries_len_mean, tokens/responses_len_mean, tokens/responses_len_std
  group: Log-probs
  names: objective/logprobs, objective/ref_logprobs

glossary: Training Metrics Glossary
  source: glossary
  tools: verl, glossary, trl
  group: Validation metrics: Read val-core first; val-aux helps to see why it moved.
  names: val-core/*/acc/mean@1, val-aux/*/reward/mean@1, val-aux/num_turns/min,
    val-aux/num_turns/max, val-aux/num_turns/mean
  group: Actor metrics
  names: actor/loss, actor/pg_loss, actor/entropy_loss, actor/kl_loss, actor/kl_coef,
    actor/grad_norm, actor/entropy, actor/approx_kl, actor/ppo_kl, actor/pg_clipfrac, actor/lr
  group: Actor loss: The total should fall; the policy-gradient part is noisy by nature.
  names: actor/loss, actor/pg_loss, actor/entropy_loss, actor/kl_loss, actor/kl_coef
  also: loss | actor loss metrics
  group: Actor gradient norm
  names: actor/grad_norm
  also: gradient norm
  group: Actor entropy
  names: actor/entropy
  also: entropy
  group: Actor KL
  names: actor/approx_kl, actor/ppo_kl, actor/kl_loss, actor/kl_coef
  also: KL divergence | policy shift
  group: Actor clip fraction
  names: actor/pg_clipfrac
  also: clip fraction
  group: Learning rates: When loss, KL and gradient norm all jump, look here first.
  names: actor/lr, critic/lr, lr_scheduler/*
  also: learning rate
  group: Critic and reward statistics
  names: critic/loss, critic/value/mean, critic/advantages/mean, critic/advantages/std,
    critic/rewards/mean
  also: critic / reward statistics | critic metrics
  group: Length metrics
  names: response_length/mean, response_length/max, response_length/clip_ratio, prompt_length/mean,
    prompt_length/clip_ratio, prompt_length/max, response/aborted_ratio
  group: Preference optimization metrics
  names: loss/dpo, rewards/chosen, rewards/rejected, rewards/margins, rewards/accuracy
  also: preference optimisation metrics | preference metrics
  group: Reward model training metrics
  names: rm/loss, rm/accuracy, rm/reward_margin, rm/grad_norm
  also: reward model (RM) training metrics | reward model metrics
  group: Multi-turn interaction metrics
  names: num_turns/min, num_turns/max, num_turns/mean
  group: Load balancing metrics: Tokens of a rank in one step, not the length of a sequence.
  names: global_seqlen/min, global_seqlen/max, global_seqlen/minmax_diff,
    global_seqlen/balanced_min, global_seqlen/balanced_max, global_seqlen/mean
  group: Timing metrics: The step first, then its slowest part.
  names: timing_s/step, timing_s/gen, timing_s/reward, timing_s/old_log_prob, timing_s/ref,
    timing_s/adv, timing_s/update_actor, timing_s/update_critic, timing_s/update_weights
  group: Finer-grained timing
  names: timing_s/agent_loop/generate_sequences/min, timing_s/agent_loop/generate_sequences/max,
    timing_s/agent_loop/generate_sequences/mean, timing_s/agent_loop/tool_calls/min,
    timing_s/agent_loop/tool_calls/max, timing_s/agent_loop/tool_calls/mean,
    timing_s/agent_loop/slowest/*
  also: agentic timing
  group: Per-token normalized timing: Comparable between runs that generate different amounts.
  names: timing_per_token_ms/gen, timing_per_token_ms/ref, timing_per_token_ms/adv,
    timing_per_token_ms/update_actor
  also: per-token timing
  group: Performance metrics: Usual model FLOPs utilisation is 50 to 60 percent; below 30 devices
    wait.
  names: perf/total_num_tokens, perf/time_per_step, perf/throughput, perf/mfu/actor_infer,
    perf/mfu/actor
  group: Framework differences: One meaning, many names: `runvitals explain NAME` lists those of
    every tool.
  names: actor/entropy, actor/ppo_kl, objective/kl, actor/grad_norm, loss/total,
    response_length/mean, response_length, timing_s/gen, critic/rewards/mean, rewards,
    rewards/margins
  also: framework differences note

tensorboard-reference: TensorBoard Metrics Reference
  source: reference
  tools: teacher-tuner
  group: Training metrics
  names: Train/Loss, Train/PolicyLoss, Train/KLPenalty, Train/AvgReward, Train/RewardStd,
    Train/RewardMin, Train/RewardMax, Train/RewardVariance
  group: Epoch metrics
  names: Epoch/AvgReward, Epoch/AvgLoss, Epoch/RewardVariance, Epoch/RewardTrend, Epoch/LossTrend,
    Epoch/APITokens, Epoch/NumSamples
  group: Generation performance
  names: Performance/Generation_TokensPerSec, Performance/Generation_Time,
    Performance/Generation_AvgTokensPerSec, Performance/Generation_P99TokensPerSec
  also: performance metrics
  group: Backpropagation performance
  names: Performance/Backprop_TokensPerSec, Performance/Backprop_AvgTokensPerSec,
    Performance/Backprop_P99TokensPerSec
  also: performance metrics
  group: Scoring metrics: Weights of the criteria, not scores.
  names: Scoring/Correctness, Scoring/CodeQuality, Scoring/Efficiency, Scoring/Documentation
  also: scoring weights
  group: CPU and memory
  names: System/CPU_Percent, System/Memory_Percent, System/Memory_Used_GB,
    System/Memory_Available_GB, System/Process_Memory_GB
  also: system metrics
  group: GPU and MPS metrics
  names: System/GPU_Memory_Used_GB, System/GPU_Memory_Total_GB, System/GPU_Memory_Percent,
    System/GPU_Utilization
  also: GPU/MPS metrics | system metrics
"""


def _scenarios(page: str) -> Iterator[Scenario]:
    for head, lines in entries(page):
        id, _, title = head.partition(": ")
        starts = [i for i, line in enumerate(lines) if line.startswith("group: ")]
        groups = zip(starts, [*starts[1:], len(lines)], strict=True)
        known = fields(lines[: starts[0]], "algorithms", "source", "tools", "also")
        yield Scenario(
            id,
            title,
            tuple(_group(lines[start:end]) for start, end in groups),
            algorithms=items(known.get("algorithms", "")),
            source=DOCUMENTS.get(known.get("source", ""), ""),
            tools=items(known.get("tools", "")),
            also=phrases(known.get("also", "")),
        )


def _group(lines: list[str]) -> WatchGroup:
    known = fields(lines, "group", "metrics", "names", "also")
    title, _, note = known["group"].partition(": ")
    return WatchGroup(
        title,
        metrics=items(known.get("metrics", "")),
        note=note,
        names=items(known.get("names", "")),
        also=phrases(known.get("also", "")),
    )


SCENARIOS: Mapping[str, Scenario] = {one.id: one for one in _scenarios(_WHAT_TO_WATCH)}
CHAPTERS: Mapping[str, Scenario] = {one.id: one for one in _scenarios(_SECTIONS)}
