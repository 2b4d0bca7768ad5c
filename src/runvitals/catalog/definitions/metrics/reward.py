"""Metrics of what the learner is paid, and of reward models."""

METRICS = """
# What the learner is paid
reward/mean (reward, higher; glossary, guide, reference): Mean reward = Mean reward per sample as it
    enters the advantage computation
  watch for: Should climb steadily. Check what is inside: with a KL penalty it can fall while the
    score rises. A total that is negative while its absolute part is positive points at the delta or
    penalty terms being too heavy.
  related: reward/score_mean, reward/std, outcome/success_rate, eval/mean_at_n
  not the same as: outcome/return_mean, reward/score_mean
  healthy: 0.7 to * (tools=teacher-tuner; scale=0.0 to 1.0; late): a teacher that scores 0 to 1
    gives most answers good marks by the end [reference]
  context: a teacher's scores between 0 and 1, late in training
reward/std (reward, neutral; table, reference): Spread of rewards = Standard deviation of reward
    over the batch
  watch for: Moderate is healthy. Zero means that all samples earn the same and the gradient has
    nothing to go by; sudden growth means outliers or a change of the data.
  related: reward/var, reward/group_std_mean, reward/zero_std_fraction
  not the same as: reward/group_std_mean
reward/min (reward, higher; reference): Lowest reward in the batch = Smallest reward in the batch
  watch for: Far below the rest: a penalty, or a parser that fails. Read that sample.
  related: reward/max, reward/mean
reward/max (reward, higher; reference): Highest reward in the batch = Largest reward in the batch
  watch for: At its ceiling for most of the batch: the task has become easy. A new record out of
    nowhere: check for an exploit.
  related: reward/min, reward/mean
reward/median (reward, higher): Median reward = Median reward in the batch
  watch for: Less moved by outliers than the mean. Mean up and median flat: few samples improved a
    lot.
  related: reward/mean
reward/score_mean (reward, higher; table): Mean raw score = Mean raw score of the reward model or
    verifier before KL penalty and shaping
  watch for: Up steadily over training. This is the score before KL penalty and shaping, so it is
    the one to compare between runs with different penalties. Rising score with falling length or
    flat validation smells of reward hacking. As a distribution: balanced, without long tails.
  related: reward/mean, reward/kl_penalty_mean, length/response_mean, eval/mean_at_n
  not the same as: reward/mean
reward/score_std (reward, neutral; table): Spread of raw scores = Standard deviation of the raw
    score
  watch for: Moderate and steady. Exploding means a few outliers rule the batch; zero means nothing
    left to learn from.
  related: reward/score_mean, reward/zero_std_fraction
reward/score_min (reward, higher): Lowest raw score = Smallest raw score
  watch for: A sudden new low is usually a broken answer or a failed verifier.
  related: reward/score_mean, length/aborted_ratio
reward/score_max (reward, higher): Highest raw score = Largest raw score
  watch for: Scores beyond anything seen in the judge's training data are a sign of exploitation.
  related: reward/score_mean, policy/kl_ref
reward/kl_penalty_mean (reward, neutral; table): KL part of the reward = Mean KL (non-score) part of
    the reward, usually negative
  watch for: Usually negative. It should stay small beside the score; when it dominates, the learner
    is paid for standing still.
  related: reward/score_mean, policy/kl_ref_sequence, policy/kl_coef
reward/component_mean (reward, higher; guide): One part of the reward = Mean of one named reward
    function (label component)
  watch for: Watch the parts, not only the sum: a total can rise on the strength of a part that is
    easy to game. A penalty such as a load-balance term should shrink to about zero once the
    behaviour it punishes is gone; if it stays high, raise its weight.
  related: reward/mean, reward/component_std, reward/component_weight
  healthy: -0.1 to 0.1 (tools=vidur-ppo-scheduler; labels=component=balance_penalty; late): the
    penalty is near zero once the load is balanced [guide]
  context: the load-balance penalty of the guide's scheduler, late in training; near is a tenth of a
    score that goes to 1 (judgement)
reward/component_std (reward, neutral): Spread of a reward part = Standard deviation of one named
    reward function (label component)
  watch for: At zero this part no longer tells samples apart and teaches nothing.
  related: reward/component_mean, reward/zero_std_fraction
reward/group_std_mean (reward, target): Reward spread within a prompt = Mean within-prompt (group)
    standard deviation of reward
  watch for: The learning signal of group-based methods. Near zero means that all answers to a
    prompt earn the same: too easy, too hard, or a policy that has collapsed.
  related: reward/zero_std_fraction, policy/entropy
  not the same as: reward/std
reward/zero_std_fraction (ratio, lower): Prompts without signal = Share of prompt groups whose
    rewards are all equal (no learning signal)
  watch for: Share of prompts whose answers all earn the same. These cost generation time and teach
    nothing. Rising towards one means that the data no longer fits the model's skill.
  related: reward/group_std_mean, reward/group_all_correct_fraction, reward/group_all_wrong_fraction
reward/group_all_correct_fraction (ratio, neutral): Groups solved by all = Share of prompt groups
    solved by every sample
  watch for: These prompts have become too easy and give no gradient. Growing: time for harder data.
  related: reward/group_all_wrong_fraction, reward/zero_std_fraction, reward/group_mixed_fraction
reward/group_all_wrong_fraction (ratio, lower): Groups solved by none = Share of prompt groups
    solved by no sample
  watch for: Too hard, or the verifier rejects right answers: read some. These groups give no
    gradient either.
  related: reward/group_all_correct_fraction, reward/zero_std_fraction
reward/var (reward^2, neutral; reference): Variance of rewards = Variance of reward (square of the
    standard deviation)
  watch for: The square of the spread: low means consistent answers. For group-based methods a
    variance of zero is the opposite of good, since equal rewards carry no signal.
  related: reward/std, reward/zero_std_fraction
  healthy: * to 0.01 (tools=teacher-tuner; scale=0.0 to 0.25): answers of one quality: consistent
    training [reference]
  context: a teacher's scores between 0 and 1
reward/running_mean (reward, neutral): Running reward mean = Running mean used to normalise scores
  watch for: Used for normalising. A jump changes what every later score is worth.
  related: reward/running_std, reward/score_mean
reward/running_std (reward, neutral): Running reward spread = Running standard deviation used to
    normalise scores
  watch for: Small values blow up normalised rewards; check it when advantages explode.
  related: reward/running_mean, advantage/std
reward/positive_mean (reward, higher) = Mean of the positive part of the rewards
reward/component_min (reward, neutral) = Smallest value of one named reward function (label
    component)
reward/component_max (reward, neutral) = Largest value of one named reward function (label
    component)
reward/group_any_correct_fraction (ratio, higher): Groups solved at least once = Share of prompt
    groups with at least one correct sample in the training batch
  watch for: The training-time pass@k: what exploration can still find. If it falls while the mean
    rises, diversity is being lost.
  related: eval/pass_at_k, reward/group_mixed_fraction
reward/group_mixed_fraction (ratio, higher): Mixed-reward groups = Share of prompt groups with some
    but not all samples correct
  watch for: Only groups with right and wrong answers carry a gradient; this share is the effective
    batch size of group methods.
  related: reward/zero_std_fraction, reward/group_all_correct_fraction,
    reward/group_all_wrong_fraction
reward/implicit_mean (reward, neutral): Implicit reward = Mean implicit reward
    beta*log(policy/reference) of sampled responses
  watch for: A multiple of the log-ratio to the reference: it measures drift and not quality.
  related: policy/kl_ref
  not the same as: reward/mean
reward/intrinsic_mean (reward, neutral): Curiosity reward = Mean intrinsic (curiosity, RND) reward
    or return
  watch for: Should fade as the world becomes familiar. If it stays high, the agent may be watching
    noise.
  related: reward/extrinsic_mean, reward/intrinsic_coef
reward/extrinsic_mean (reward, higher): Environment reward = Mean environment part of the reward or
    return when an intrinsic part is added
  watch for: The part that counts. Rising total with a flat extrinsic part: the agent lives on
    curiosity.
  related: reward/intrinsic_mean, outcome/return_mean
reward/intrinsic_coef (coefficient, neutral) = Weight of the intrinsic reward
reward/trend (reward, target; reference): Reward trend = Change of the mean reward since the
    previous window (label window); positive is improving
  watch for: Positive while the model improves, shrinking towards zero as it converges. Around zero
    from the start means no learning; negative over several windows means damage.
  related: reward/mean, optim/loss_trend
  healthy: 0.0 to * (tools=teacher-tuner): each epoch should pay at least as much as the one before
    [reference]
  context: a teacher's scores, per epoch; approaches 0 at convergence
reward/component_weight (coefficient, neutral; reference): Weight of a criterion = Weight of one
    named criterion in the total score (label component)
  watch for: A setting, not a result: the weights should add up to one and stay put within a run, or
    reward curves cannot be compared.
  related: reward/component_mean
reward/unclipped_mean (reward, higher): Reward before clipping = Mean reward before it is clipped or
    scaled for the update
  watch for: Compare it with the mean reward: the difference is what clipping hides.
  related: reward/mean, reward/clipped_fraction
  not the same as: reward/mean
reward/clipped_fraction (ratio, lower): Clipped rewards = Share of rewards that were clipped
  watch for: A large share: rewards no longer differ, so there is less to learn from.
  related: reward/unclipped_mean

# Reward-model training
rm/loss (loss, lower; glossary): Reward-model loss = Reward-model loss
  watch for: Falls from ln 2 = 0.693. Compare training and validation.
  related: rm/accuracy, rm/margin
  not the same as: preference/loss
rm/accuracy (ratio, higher; glossary): Reward-model accuracy = Share of pairs (or steps) ranked
    correctly by the reward model
  watch for: How often the judge picks the better answer. Validation has to follow training. High
    accuracy with no gain in the policy trained on it: the judge overfits, or measures something
    else than quality.
  related: rm/margin, rm/loss
  not the same as: preference/accuracy
rm/margin (score, higher; glossary): Reward-model margin = Mean reward-model score of chosen minus
    rejected
  watch for: How decisive the judge is. Near zero it no longer discriminates. Very different scores
    for the same answers between versions of the judge mean that it has been contaminated by policy
    outputs.
  related: rm/accuracy, rm/score_std
  not the same as: preference/margin
rm/score_mean (score, neutral): Mean score of the judge = Mean reward-model score
  watch for: Drifts freely, as only differences are trained. Large drift makes scores of two
    versions incomparable.
  related: rm/score_std, rm/center_loss
rm/score_std (score, neutral): Spread of the judge's scores = Standard deviation of reward-model
    scores
  watch for: Near zero: the judge says the same of everything. Growing without end: over-confident.
  related: rm/margin, rm/score_mean
rm/score_min (score, neutral): Lowest score of the judge = Smallest reward-model score
  watch for: Extreme lows are often broken or empty answers.
  related: rm/score_max, rm/score_std
rm/score_max (score, neutral): Highest score of the judge = Largest reward-model score
  watch for: Far above the rest: read that answer, as a policy will learn to write more like it.
  related: rm/score_min, rm/score_std
rm/score_chosen_mean (score, higher): Score of chosen answers = Mean reward-model score of chosen
    responses
  watch for: Only the distance to the rejected score matters; both can drift together.
  related: rm/score_rejected_mean, rm/margin
  not the same as: preference/chosen_reward
rm/score_rejected_mean (score, lower): Score of rejected answers = Mean reward-model score of
    rejected responses
  watch for: Should end clearly below the chosen score.
  related: rm/score_chosen_mean, rm/margin
  not the same as: preference/rejected_reward
rm/grad_norm (norm, target; glossary): Gradient norm of the reward model = Gradient norm of the
    reward model
  watch for: Reads like any gradient norm.
  related: rm/loss
rm/score_var (score^2, neutral) = Variance of reward-model scores
rm/center_loss (loss, lower): Score-centring term = Regulariser that keeps scores around zero
  watch for: Small and flat when it works; it keeps scores comparable without changing the ranking.
  related: rm/score_mean
rm/calibration_error (ratio, lower): Calibration of the judge = Expected gap between the reward
    model's stated confidence and its accuracy
  watch for: Low means that stated confidence can be trusted. An accurate judge can be badly
    calibrated, and then large rewards mean little.
  related: rm/accuracy, rm/margin
"""
