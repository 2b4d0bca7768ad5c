"""Symptoms of the outcome, the policy and the critic."""

OUTCOME = """
Return rises, success stays flat
  check: outcome/return_mean, outcome/success_rate, outcome/win_rate; then
    outcome/episode_length_mean, reward/component_mean
  likely: reward hacking, or a success metric that measures something else
  advice: watch episodes; look for the part of the reward that grows; fix the reward before tuning
    [telemetry]
  also: Return goes up, win rate stays flat | metric mismatch
  rules: REW001
  lists: Early warning signs
Reward crashes
  check: policy/entropy; then policy/clip_fraction, policy/approx_kl
  likely: a collapsed policy, or updates that are too large
  advice: go back to the last good checkpoint, lower the learning rate, keep more entropy [glossary]
  also: reward collapse | return collapses | outcome collapses
  rules: REW003, ENT001, CLIP001, KL002
  lists: Training problems
Learning stalls
  check: outcome/return_mean, reward/mean, eval/mean_at_n; then policy/approx_kl, policy/entropy,
    advantage/std, optim/learning_rate
  likely: updates too small, no learning signal, or a task that is solved as far as it can be
  advice: see whether the policy still moves; if it does, look at the reward, else at the step size
    [telemetry]
  also: no progress | return is flat | reward does not rise | not learning | training stagnates
  rules: REW005, POL002, REW004
Loss improves, outcome stays flat
  check: optim/loss, policy/loss_total, outcome/return_mean, eval/mean_at_n; then policy/approx_kl,
    value/explained_variance
  likely: the loss is not the goal; it can fall while the task is done no better
  advice: judge by the outcome; check that the evaluation measures what you want [telemetry]
  also: loss goes down but nothing improves | watching one number go down
  rules: REW006
Numbers become NaN or infinite
  check: optim/loss, policy/loss, value/loss; then optim/grad_norm, optim/learning_rate,
    policy/ratio_max
  likely: exploding gradients, an overflow in half precision, or a division by zero
  advice: go back to the last good checkpoint; see what grew first; clip, lower the rate, use
    bfloat16 [table]
  also: NaN in the loss | NaN in the critic loss | the loss is NaN | loss is inf
  rules: NUM001, NUM002, SFT004
The log lacks what one needs to judge the run
  check: outcome/return_mean, outcome/success_rate, policy/entropy, value/loss; then
    optim/learning_rate
  likely: the minimum viable dashboard is not logged, or the settings were not written down
  advice: log an outcome, the health of the algorithm and its speed, and pass the config [telemetry]
  also: part of the minimum is not logged | dashboard incomplete | settings not logged
  rules: DATA002, DATA001, EVAL003
Evaluation stalls while the reward rises
  check: length/response_mean, eval/mean_at_n; then length/aborted_ratio, reward/component_mean
  likely: reward hacking, often by length, or generations that fail
  advice: read samples; check what the reward pays for [glossary]
  also: Eval stalls but reward rises | reward rises, validation does not
  rules: EVAL002, LEN003, LEN004
  lists: Training problems
Validation accuracy falls
  check: eval/mean_at_n, eval/score_mean; then policy/approx_kl, policy/entropy, reward/score_mean
  likely: unstable training, or a reward that measures the wrong thing
  advice: settle which of the two it is before touching the optimiser [glossary]
  also: validation accuracy starts to drop | evaluation drops
  rules: EVAL001
Reward spikes without better throughput
  check: reward/mean, reward/component_mean; then env/metric
  likely: a part of the reward masks the penalty that matters, such as latency
  advice: read the reward breakdown part by part [guide]
  also: Reward spikes without throughput improvement | latency penalties masked
  rules: REW002, REW010
  lists: Troubleshooting signals
Total reward negative, absolute score positive
  check: reward/mean, reward/component_mean
  likely: the delta part punishes every small regression too hard
  advice: tune the weights of the delta part, beta for gains and gamma for losses [guide]
  also: delta component penalizes regressions too heavily | negative total reward
  rules: REW010, REW002
Rewards spread wildly or have long tails
  check: reward/std, reward/score_std, reward/var; then reward/max, reward/min, advantage/std
  likely: a few samples dominate the batch, or rewards have no common scale
  advice: clip or normalise the reward; look at the samples in the tail [table; reference]
  also: reward variability explodes | reward variance high | long tails
  rules: REW007
Reward stays below its target
  check: reward/mean, reward/trend; then reward/component_weight, policy/loss_total
  likely: the task is too hard for the model, or the rubric pays for something else
  advice: read samples beside their scores; check what the criteria weigh [reference]
  also: average reward below 0.7 | reward stuck below target
  rules: REW005
Reward trend or loss trend does not settle
  check: reward/trend, optim/loss_trend; then reward/var, optim/learning_rate
  likely: epochs undo each other: a learning rate too high, or too few samples an epoch
  advice: lower the learning rate; score more samples an epoch [reference]
  also: not converging | reward trend negative | loss trend negative
  rules: REW008
Episode length jumps
  check: outcome/episode_length_mean; then outcome/return_mean, outcome/success_rate,
    outcome/termination_rate
  likely: a change of behaviour, good or bad by what the task wants
  advice: watch one episode from before and one from after the jump [telemetry]
  also: sudden jumps of the episode length
  rules: LEN006
"""

POLICY = """
Entropy collapses early
  check: policy/entropy; then policy/entropy_coef, optim/learning_rate, policy/approx_kl
  likely: the policy turned deterministic before it had explored
  advice: raise the entropy coefficient, lower the learning rate, check the reward scale [telemetry;
    glossary]
  also: Entropy collapses quickly | entropy collapse | prematurely deterministic | premature
    convergence | over-confident collapse
  rules: ENT001
  lists: Early warning signs
Entropy below its floor
  check: policy/entropy, policy/entropy_min; then policy/entropy_coef, policy/temperature,
    policy/kl_coef
  likely: the policy is held too tightly: by the KL penalty, the temperature or too small a bonus
  advice: raise the entropy coefficient; check the temperature and its pulses [guide]
  also: entropy below entropy_min | sustained entropy drop | over-constraint
  rules: ENT002
KL spikes
  check: policy/approx_kl, policy/kl_old, policy/kl_ref; then optim/learning_rate,
    policy/learning_rate, policy/clip_fraction
  likely: learning rate too high, too many epochs per batch, or a schedule that is wrong
  advice: lower the learning rate, use fewer epochs per batch, set target_kl [telemetry; glossary]
  also: KL spikes before a reward collapse | KL jumps
  rules: KL002, LR001
  lists: Early warning signs | Training problems
KL too high
  check: policy/approx_kl, policy/kl_old; then optim/learning_rate, policy/clip_fraction,
    policy/kl_coef
  likely: each update moves the policy too far
  advice: lower the learning rate, use fewer epochs per batch, tighten the clip range, raise kl_coef
    [telemetry; guide]
  also: approx_kl above target_kl | updates are too aggressive | KL rising above target
  rules: KL001
KL stays near zero
  check: policy/approx_kl, policy/kl_ref; then optim/learning_rate, policy/clip_fraction,
    advantage/std
  likely: updates too small to learn anything
  advice: raise the learning rate, loosen the clip range, check the advantages [telemetry; glossary;
    table]
  also: KL too low | KL remains near zero for a long time | updates are tiny | under-training
  rules: KL003
KL to the reference keeps rising
  check: policy/kl_ref, policy/kl_ref_sequence; then policy/kl_coef, reward/score_mean,
    eval/mean_at_n
  likely: over-optimisation of the reward
  advice: raise the KL coefficient, stop earlier [table]
  also: over-optimization | KL rises
  rules: KL004
KL to the reference is negative
  check: policy/kl_ref, policy/kl_ref_sequence; then policy/logprob_mean, policy/logprob_ref_mean
  likely: responses sampled with other settings than they are scored with, or padding counted in
  advice: sample at temperature 1 without top-k and top-p; check masks and the reference model
    [table]
  also: KL negative | negative KL
  rules: KL005
KL penalty dominates the reward
  check: reward/kl_penalty_mean, policy/kl_loss; then policy/kl_coef, policy/kl_ref,
    reward/score_mean
  likely: the weight of the penalty is too high, or the policy is already far from its reference
  advice: lower the KL coefficient; find out why the policy went so far [table; reference]
  also: mean_non_score_reward dominates | KL penalty dominates the loss
  rules: KL006
High KL, low reward
  check: policy/approx_kl, reward/mean; then policy/kl_coef, reward/component_mean
  likely: the policy diverges
  advice: tighten the KL limit, or look again at the reward weights [guide]
  also: High approx_kl but low reward | policy diverging
  rules: KL007
  lists: Troubleshooting signals
Clip fraction near zero and slow learning
  check: policy/clip_fraction, reward/mean; then optim/learning_rate, policy/kl_coef
  likely: updates could be larger
  advice: raise the learning rate, or lower the KL coefficient [guide]
  also: Clipfrac near zero + slow learning | clip fraction below 0.1
  rules: CLIP002
  lists: Troubleshooting signals
Clip fraction high for long
  check: policy/clip_fraction; then optim/learning_rate, policy/approx_kl, policy/clip_range
  likely: learning rate too high, too many epochs per batch, or batches too small and noisy
  advice: lower the learning rate or the number of epochs, enlarge the batch; widen the clip range
    only after that. A narrower one limits the step, but clips still more [guide; glossary;
    telemetry]
  also: Very high clip fraction | sustained high clip fraction | clipfrac above 0.3 | many updates
    are clipped | clip range too small
  rules: CLIP001
Ratio far from one
  check: policy/ratio_mean, policy/ratio_max; then policy/approx_kl, policy/logprob_mean,
    policy/clip_fraction
  likely: old and new log-probabilities do not belong together, or one update went much too far
  advice: compare the two log-probabilities before the first update; lower the learning rate [table]
  also: ratio above 200 | importance ratio unstable
  rules: POL003, POL004
Log-probs drift from the reference
  check: policy/logprob_mean, policy/logprob_ref_mean; then policy/kl_ref, policy/kl_coef
  likely: the policy leaves its reference model
  advice: read samples; raise the KL coefficient if they have become worse [table]
  also: logprobs shift | log-probs shift | logprobs away from ref_logprobs
  rules: KL004
Policy loss is flat
  check: policy/loss, advantage/std; then policy/grad_norm, reward/zero_std_fraction
  likely: no learning signal: equal rewards, or advantages of zero
  advice: check that rewards differ between samples [telemetry]
  also: flatlining | no learning signal | policy loss flatlines
  rules: REW004, REW009, GRAD003, POL002
Policy loss explodes
  check: policy/loss, policy/grad_norm; then policy/ratio_max, advantage/std, optim/learning_rate
  likely: unstable updates: ratios or advantages of enormous size
  advice: lower the learning rate, normalise advantages, clip gradients [telemetry; glossary]
  also: exploding values | loss jumps | pg_loss blows up | sustained blow-ups | actor loss jumps
  rules: POL001
Gradient norm spikes to ten times its usual size
  check: policy/grad_norm, optim/grad_norm; then optim/learning_rate, optim/loss
  likely: exploding gradients, a bad batch, or numerical trouble
  advice: look at that batch; lower the learning rate; check precision and clipping [glossary;
    guide]
  also: grad_norm spikes to 10x | gradient explosion | exploding gradients | sudden spikes of the
    gradient norm | grad norm above max_grad_norm
  rules: GRAD001, GRAD002
Loss, KL and gradient norm spike together
  check: optim/learning_rate, policy/learning_rate; then policy/approx_kl, policy/grad_norm
  likely: a change of the learning-rate schedule
  advice: check the schedule at that step [glossary]
  also: loss, KL, and gradient norm all spike together | learning rate schedule changed
  rules: LR001
"""

CRITIC = """
Value loss explodes
  check: value/loss; then value/explained_variance, returns/std, value/grad_norm
  likely: an unstable critic, or returns computed wrongly
  advice: check reward scale and return computation, lower the critic's learning rate, clip
    [telemetry]
  also: big spikes of the critic loss | value loss is huge or increasing | critic instability |
    value loss spikes
  rules: VAL001
  lists: Early warning signs
Value loss never falls
  check: value/loss, value/explained_variance; then returns/mean, value/mean
  likely: reward scale or masks are wrong, or the critic is too small
  advice: check the scale of the returns and the masks; give the critic more capacity [glossary]
  also: value loss never decreases | critic fails
  rules: VAL002
Critic explains little of the returns
  check: value/explained_variance, value/error; then value/loss, returns/std, value/clip_fraction
  likely: a critic that lags behind, sees too little, or is clipped too hard
  advice: train the critic longer or faster; check observations, masks and its clip range [table]
  also: explained variance below 0.8 | explained variance low | value error does not fall
  rules: VAL003
Predicted values drift or saturate
  check: value/mean, value/var; then returns/mean, returns/var, value/clip_fraction
  likely: the critic lives on another scale than the returns
  advice: compare the level of values and returns; normalise the returns [glossary; table]
  also: variance of values not stable | value drift | value saturation | unstable value variance |
    returns change scale
  rules: VAL004, REW012
Many value updates are clipped
  check: value/clip_fraction; then value/loss, value/explained_variance
  likely: the critic's clip range is too small for the scale of the returns, or it overfits
  advice: widen or drop the value clip; normalise the returns [table]
  also: value clipfrac high | val/clipfrac too high
  rules: VAL005
Advantages flip sign or spread wildly
  check: advantage/mean, advantage/std; then value/explained_variance, value/loss, reward/std
  likely: a critic that lags behind, or rewards without a common scale
  advice: normalise advantages per batch; check the critic and the reward scale [glossary; table]
  also: advantages off centre | advantages skewed | advantage collapse | advantage variance extreme
  rules: ADV001, ADV002
"""
