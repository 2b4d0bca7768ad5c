"""Symptoms of language models, and of machines and schedulers."""

LANGUAGE_MODELS = """
Many responses are truncated
  check: length/response_clip_ratio, length/prompt_clip_ratio; then length/response_mean
  likely: limits too low, or answers that grow without end
  advice: raise the limits, or shorten the inputs [glossary]
  also: high clip ratio | prompts are truncated | truncation is frequent
  rules: LEN001, LEN002
Reward rises while responses collapse in length
  check: length/response_mean, reward/score_mean; then eval/mean_at_n
  likely: reward hacking through a length bias
  advice: read samples; remove the length bias from the reward [glossary]
  also: reward rises while response length collapses | length bias
  rules: LEN003
Lengths drift or spread
  check: length/response_mean, length/response_std, length/prompt_mean; then reward/score_mean,
    length/response_clip_ratio
  likely: the reward pays for length, or the prompts have changed
  advice: read the longest and the shortest responses; compare the prompts with earlier ones [table]
  also: length spread explodes | response length drift | query length drift | responses_len_std
    explodes
  rules: LEN005
Many generations are aborted
  check: length/aborted_ratio; then rollout/waiting_requests, rollout/preemptions_mean
  likely: trouble in sampling or in the inference engine
  advice: look at the engine's own log [glossary]
  also: high aborted ratio | generation failures
  rules: LEN004
The most turns per rollout jump
  check: agent/turns_max; then agent/tool_failure_rate, agent/turn_limit_rate
  likely: loops, or tools that fail and are retried
  advice: read the longest rollout; cap retries [glossary]
  also: num_turns/max suddenly becomes very large | repeated retries | agent loops
  rules: AGT001
Margins grow, validation does not
  check: preference/margin, preference/accuracy; then eval/preference/accuracy, eval/loss
  likely: overfitting of the training pairs
  advice: stop earlier, raise beta, add data [glossary]
  also: margins increase but validation does not improve
  rules: DPO002
Preference accuracy at 99 percent without better evaluation
  check: preference/accuracy; then eval/preference/accuracy, eval/score_mean
  likely: overfitting
  advice: stop earlier; use fewer epochs [glossary]
  also: rewards/accuracy hits 99%+ but evaluation doesn't improve | overfitting of preference pairs
  rules: DPO002
Reward model is accurate, PPO does not improve
  check: rm/accuracy, eval/rm/accuracy; then reward/score_mean, eval/mean_at_n
  likely: the reward model overfits, or is not aligned with real quality
  advice: test it on fresh pairs and on outputs of the current policy [glossary]
  also: high RM accuracy but downstream PPO does not improve
  rules: RM003, RM004
  lists: Common failure signs
Reward model is better on its training pairs than on others
  check: rm/accuracy, eval/rm/accuracy; then rm/loss, eval/rm/loss
  likely: the reward model knows its pairs by heart
  advice: stop earlier, add pairs, use a smaller rate [glossary]
  also: validation accuracy does not follow training accuracy | reward model overfits
  rules: RM004
Reward-model margin approaches zero
  check: rm/margin; then rm/accuracy, rm/score_std
  likely: the judge no longer discriminates
  advice: check labels and learning rate; train it again [glossary]
  also: margin approaches zero | RM becomes non-discriminative
  rules: RM002
  lists: Common failure signs
Reward-model scores jump between versions
  check: rm/score_mean, rm/score_std; then rm/accuracy
  likely: the judge was trained on outputs of the policy it judges
  advice: compare the versions on one fixed set of samples [glossary]
  also: RM score behavior changes drastically across RM versions | RM contaminated by policy outputs
  rules: RM005
  lists: Common failure signs
"""

MACHINES = """
Training is slow
  check: time/step_s, time/generation_s, time/policy_update_s; then
    throughput/tokens_per_s_per_device, balance/seqlen_diff
  likely: one slow stage, or uneven load over the devices
  advice: improve the slowest stage first [glossary]
  also: the slowest part of the step | slow training | step time high
  rules: PERF003, PERF005, LOAD001
  lists: Training problems
Steps per second drop suddenly
  check: throughput/env_steps_per_s; then time/env_step_s, system/memory_percent, system/cpu_percent
  likely: a regression in the pipeline: logging, contention, memory pressure
  advice: compare stage times before and after; look at what else runs on the machine [telemetry]
  also: backpropagation slows down | SPS suddenly drops | SPS drops | throughput drops | backprop
    speed drops
  rules: PERF001
  lists: Early warning signs
Updates per second are low
  check: throughput/updates_per_s; then system/gpu_utilization_percent, time/data_s
  likely: an underused GPU (batch too small), or data that arrives too slowly
  advice: enlarge the batch; profile the data pipeline [telemetry]
  also: updates/sec is low | GPU underutilized | learner is starved
  rules: PERF001, PERF002, SYS002
Logging slows the run
  check: time/step_s, throughput/env_steps_per_s
  likely: thousands of numbers, or large tables, written at every step
  advice: log less often, and histograms and samples more rarely than numbers [telemetry]
  also: logging overhead too high | logging too heavy
  rules: DATA008
Generation below one token per second
  check: throughput/generation_tokens_per_s; then system/gpu_utilization_percent, time/generation_s
  likely: generation on the wrong device, or without an inference engine
  advice: use an engine made for the hardware, such as MLX on Apple silicon or vLLM on NVIDIA
    [reference]
  also: generation is slow | generation tokens per second < 1 | consider enabling MLX
  rules: PERF005, PERF001
Tool calls are slow
  check: time/tool_calls_s; then time/slowest_sample_s, agent/tool_failure_rate
  likely: a slow or failing tool holds up every rollout of the batch
  advice: time the tool by itself; give it a time limit; run calls side by side [glossary]
  also: slow tool calls
  rules: PERF003, PERF004
Utilisation of FLOPs below 30 percent
  check: throughput/mfu; then balance/seqlen_diff, time/data_s, time/wait_s
  likely: waiting for communication, for data, or for the slowest rank
  advice: find out what the devices wait for [glossary]
  also: MFU below 30% | low MFU
  rules: PERF005
GPU utilisation below 50 percent
  check: system/gpu_utilization_percent; then time/data_s, time/generation_s,
    throughput/tokens_per_s
  likely: batches too small, or a stage that leaves the device idle
  advice: enlarge the batch; overlap loading, generation and training [reference]
  also: GPU utilization low | GPU idle
  rules: SYS002
Out of memory
  check: balance/seqlen_max; then length/response_max, length/prompt_max, system/gpu_memory_percent
  likely: one rank holds too many tokens, or single sequences are too long
  advice: cap lengths, use dynamic batches, balance the load [glossary]
  also: OOM | CUDA out of memory
  rules: SYS001, LEN005
  lists: Training problems
Main memory above 90 percent
  check: system/memory_percent; then system/process_memory_gb, replay/size, data/samples_per_step
  likely: a leak, or buffers and batches too large for the machine
  advice: find out whether it grows; shrink buffers, workers or batches before it is killed
    [reference]
  also: OOM warnings | memory percent above 90
  rules: SYS001, SYS003
Work is spread unevenly over devices
  check: balance/seqlen_diff; then balance/seqlen_max, balance/seqlen_min,
    throughput/tokens_per_s_per_device
  likely: one rank has most of the tokens, and the others wait for it
  advice: turn on load balancing; use dynamic batches [glossary]
  also: large minmax_diff | unbalanced load | load imbalance
  rules: LOAD001, LOAD002
Teacher tokens grow
  check: data/teacher_tokens; then data/samples_per_step, length/response_mean
  likely: longer answers, or more samples an epoch, are sent to be scored
  advice: cap what is sent; score fewer samples [reference]
  also: API tokens grow | cost grows
  rules: SYS004
Entropy collapses while the temperature is low
  check: policy/entropy, policy/temperature; then control/pressure, control/pulse_active
  likely: the temperature controller suppresses too much
  advice: lower qps_sensitivity or raise min_temperature [guide]
  also: Entropy collapse + low temperature
  rules: TEMP003
  lists: Troubleshooting signals
Latency spikes with temperature suppression
  check: control/pressure, policy/temperature; then env/metric, policy/entropy
  likely: load lowers the temperature, the policy explores less, and queues grow further
  advice: lower qps_sensitivity or raise min_temperature; compare the two curves [guide]
  also: latency spikes | temperature suppression
  rules: TEMP003, TEMP001
Temperature leaves its range
  check: policy/temperature, control/pulse_active; then control/pressure, reward/trend
  likely: a pulse, which is meant to break stagnation; outside pulses a controller that is set wrong
  advice: check that pulses fall into phases without progress; check the bounds [guide]
  also: temperature outside 0.5 to 2.0 | pulses exceed the maximum
  rules: TEMP001, TEMP002
Pulses without stagnation
  check: control/pulse_active, policy/temperature; then reward/mean, reward/trend
  likely: a controller that pulses too readily, or never ends a pulse
  advice: make it wait longer for progress; check that pulses end [guide]
  also: pulses while the reward rises | pulses never end
  rules: TEMP002
A resumed run does not go on where it stopped
  check: progress/chunks, progress/requests; then optim/learning_rate, reward/mean
  likely: the newest checkpoint was not found, or holds the weights only
  advice: read training_progress.json; save the optimiser and the statistics with the weights
    [guide]
  also: no progress after an interruption | progress lost after interruption
  rules: DATA005, PERF006
Most actions go to one choice
  check: policy/action_share; then policy/entropy, policy/temperature, reward/component_mean
  likely: early collapse, or a warm start that did not take, unless the workload wants it so
  advice: look at the first part of the run; raise entropy or temperature [guide]
  also: warm start failed | actions not uniform | one replica gets most requests | action collapse
  rules: LOAD004, POL005
Balance penalty stays high
  check: reward/component_mean; then policy/action_share
  likely: the penalty is too weak against the other parts of the reward
  advice: raise the load-balance penalties [guide]
  also: balance_penalty persistently high | load-balance penalties
  rules: LOAD003
"""
