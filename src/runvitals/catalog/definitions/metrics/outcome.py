"""Metrics of what the run is for, in training and on held-out tasks."""

METRICS = """
# What the run is for: return, success, length of an episode
outcome/return_mean (reward, higher; telemetry): Average episode return = Mean undiscounted episode
    return
  watch for: Rising usually means learning. It may also mean that the agent found a way to be paid
    without doing the task, so read it beside the success rate. A value frozen to many digits is not
    a plateau: no episode has ended since.
  related: outcome/success_rate, outcome/episode_length_mean, eval/return_mean, outcome/return_std
  not the same as: returns/mean, reward/mean
outcome/return_std (reward, neutral): Spread of episode returns = Standard deviation of episode
    return
  watch for: A large spread early is normal. A spread that stays large while the mean rises often
    means two behaviours side by side.
  related: outcome/return_mean
outcome/return_min (reward, higher): Worst episode = Lowest episode return in the window
  watch for: Failures that the mean hides.
  related: outcome/return_mean, outcome/return_std
outcome/return_max (reward, higher): Best episode = Highest episode return in the window
  watch for: Shows what exploration has found. Far above the mean: the policy can do it, but not
    reliably yet.
  related: outcome/return_mean
  not the same as: outcome/return_best
outcome/return_median (reward, higher): Median episode return = Median episode return
  watch for: The usual episode. Below the mean: a few very good episodes carry it.
  related: outcome/return_mean
outcome/episode_length_mean (step, neutral; telemetry): Episode length = Mean number of steps per
    episode
  watch for: Good or bad depends on the task: shorter is better when a goal has to be reached,
    longer when the agent has to survive. A sudden jump means that behaviour changed; look at what
    the agent does.
  related: outcome/return_mean, outcome/termination_rate
  not the same as: length/response_mean
outcome/episode_length_min (step, neutral): Shortest episode = Shortest episode
  watch for: Stuck at a few steps: some episodes end at once. Check resets and termination rules.
  related: outcome/episode_length_mean, outcome/termination_rate
outcome/episode_length_max (step, neutral): Longest episode = Longest episode
  watch for: At the time limit: episodes are truncated, so values have to be bootstrapped there.
  related: outcome/episode_length_mean, outcome/termination_rate
outcome/success_rate (ratio, higher; telemetry): Success rate = Share of episodes or samples that
    met the success condition
  watch for: The closest thing to the truth about the task. If the return climbs and this stays
    flat, suspect reward hacking or a metric that measures something else. Smooth it (an exponential
    moving average) before judging small moves.
  related: outcome/return_mean, outcome/win_rate, eval/success_rate
outcome/win_rate (ratio, higher; telemetry): Win rate = Share of games or comparisons won
  watch for: Noisy over few games: read the moving average. In self-play a flat 50 percent can hide
    progress on both sides; use a rating then.
  related: outcome/success_rate, outcome/elo, outcome/return_mean
outcome/score_mean (score, higher; telemetry): Task score = Mean task score that is not the training
    reward
  watch for: A score of the task that the learner is not paid for, which makes it a good witness
    against reward hacking.
  related: outcome/success_rate, reward/mean
outcome/episode_count (episode, neutral): Episodes behind the mean = Episodes finished in the
    reporting window, that is the sample size behind the outcome means
  watch for: The sample size of the outcome numbers. Means over a handful of episodes move by
    chance.
  related: outcome/return_mean
outcome/episode_length_std (step, neutral): Spread of episode length = Standard deviation of episode
    length
  watch for: Two habits in one policy, such as falling early or surviving to the limit, make it
    wide.
  related: outcome/episode_length_mean
outcome/return_discounted_mean (reward, higher): Discounted return = Mean discounted episode return
  watch for: What the critic predicts: compare it with the mean value, not with the plain return.
  related: value/mean, outcome/return_mean
  not the same as: outcome/return_mean
outcome/return_shaped_mean (reward, higher): Shaped return = Mean episode return after reward
    shaping or scaling, as the learner sees it
  watch for: What the learner is paid. If it rises and the plain return does not, the shaping is
    being farmed.
  related: outcome/return_mean, outcome/success_rate
  not the same as: outcome/return_mean
outcome/return_best (reward, higher): Best return so far = Best mean return reached so far (monotone
    by construction)
  watch for: Can only rise, so it looks healthy even after a collapse. Read the current mean beside
    it.
  related: outcome/return_mean
  not the same as: outcome/return_max
outcome/termination_rate (ratio, neutral): Episodes that ended by themselves = Share of episodes
    that ended in a terminal state instead of a time limit
  watch for: Good or bad by task: reaching a goal and falling over both terminate. A rate near zero
    means that the time limit ends everything.
  related: outcome/episode_length_mean, outcome/success_rate
outcome/elo (elo, higher): Self-play rating = Self-play rating of the learning agent
  watch for: Relative to the pool of opponents: it can rise while play against outsiders gets no
    better. Test against fixed opponents too.
  related: outcome/win_rate, eval/win_rate
outcome/exploitability (payoff, lower): Exploitability = What a best response wins against the
    learned strategies; 0 in an equilibrium
  watch for: The truth in games of two: a win rate against its own past can rise while this does not
    fall. Of averaged strategies it falls steadily, of the last ones it may cycle.
  related: outcome/win_rate, outcome/elo
outcome/distance_to_goal (distance, lower; telemetry): Distance to the goal = Mean distance to the
    goal at the end of an episode
  watch for: A domain metric worth adding after the basics: it falls before the success rate rises.
  related: outcome/success_rate, outcome/collision_rate
outcome/collision_rate (ratio, lower; telemetry): Collision rate = Share of episodes with a
    collision
  watch for: A domain metric that catches a policy that is fast because it is careless.
  related: outcome/success_rate, outcome/distance_to_goal

# What the environment itself reports
env/metric (unit, neutral): Number of the environment = Environment-defined number passed through by
    the framework (label name)

# The same, measured on held-out tasks
eval/return_mean (reward, higher): Evaluation return = Mean episode return of the evaluation runs
  watch for: Taken with a fixed, often deterministic policy, so it may run well ahead of the noisy
    training return. Check how many episodes stand behind each point.
  related: outcome/return_mean, eval/episode_count
  not the same as: outcome/return_mean
eval/return_std (reward, neutral): Spread of evaluation returns = Standard deviation of evaluation
    return
  watch for: Large against the mean: a change of the mean between two evaluations is noise until
    more episodes say otherwise.
  related: eval/return_mean, eval/episode_count
eval/episode_length_mean (step, neutral): Evaluation episode length = Mean episode length of the
    evaluation runs
  watch for: Explains the return: survival tasks want it long, reach-the-goal tasks short.
  related: eval/return_mean, outcome/episode_length_mean
eval/success_rate (ratio, higher): Evaluation success rate = Success rate of the evaluation runs
  watch for: The number to decide on. With n episodes its standard error is at most 0.5 / sqrt(n),
    so 20 episodes cannot show a gain of 10 points.
  related: outcome/success_rate, eval/return_mean, eval/episode_count
eval/score_mean (score, higher; glossary): Evaluation score = Mean evaluation score (accuracy for
    0/1 scores)
  watch for: Held-out truth. Rising training reward with a flat evaluation score is the usual shape
    of reward hacking and of overfitting.
  related: eval/mean_at_n, eval/success_rate
eval/mean_at_n (score, higher; glossary): Validation score, mean of n samples = Mean score over n
    samples per prompt (label n)
  watch for: Look here first: did the model get better on tasks it was not trained on? If it falls,
    ask whether training became unstable, then whether reward or data measure the wrong thing,
    before touching the optimiser.
  related: eval/best_at_n, eval/maj_at_n, reward/mean
  not the same as: eval/pass_at_k
eval/std_at_n (score, neutral): Spread of scores over samples = Standard deviation of score over n
    samples per prompt
  watch for: High: the answer depends on luck of sampling. It falls as the policy sharpens, which
    also costs pass@k.
  related: eval/mean_at_n, eval/best_at_n
eval/best_at_n (score, higher; glossary): Validation score, best of n = Expected best of n samples
    per prompt, bootstrap estimate
  watch for: Rises with diversity as well as with skill. A bootstrap estimate: not the unbiased
    pass@k.
  related: eval/mean_at_n
  not the same as: eval/pass_at_k, eval/any_correct_at_n
eval/worst_at_n (score, higher): Worst of n samples = Expected worst of n samples per prompt,
    bootstrap estimate
  watch for: What a user meets on a bad day. Rising with the mean is real reliability.
  related: eval/mean_at_n, eval/best_at_n, eval/pass_hat_k
eval/maj_at_n (score, higher): Majority vote of n samples = Score of the majority-vote answer among
    n samples, bootstrap estimate
  watch for: Above mean@n as long as wrong answers disagree with each other. When the two meet,
    voting adds nothing any more.
  related: eval/mean_at_n, eval/pass_at_k
eval/pass_at_k (ratio, higher): pass@k = Unbiased estimate of the chance that one of k samples is
    correct
  watch for: The chance that at least one of k samples is right. It can rise while the mean stays,
    when the model spreads its bets.
  related: eval/any_correct_at_n, eval/mean_at_n
  not the same as: eval/best_at_n, eval/any_correct_at_n
eval/loss (nat, lower): Evaluation loss = Loss on the evaluation split
  watch for: Falls with the training loss while the model generalises. When it turns up and the
    training loss goes on falling, the model is memorising.
  related: lm/loss, optim/loss, eval/perplexity
eval/pass_hat_k (ratio, higher): All of k samples right = Chance that all k samples are correct
    (pass^k)
  watch for: Consistency, and the opposite end of pass@k: it falls quickly with k unless every
    sample is reliable.
  related: eval/pass_at_k, eval/mean_at_n
  not the same as: eval/pass_at_k
eval/any_correct_at_n (ratio, higher): Solved at least once = Share of prompts with at least one
    correct sample among the n drawn (plain maximum, no estimator)
  watch for: Grows with n by itself, so compare only equal n. The plain maximum is noisier than the
    unbiased pass@k.
  related: eval/pass_at_k, eval/mean_at_n
  not the same as: eval/pass_at_k
eval/win_rate (ratio, higher): Evaluation win rate = Share of comparisons won against a reference
    model or judge baseline
  watch for: 0.5 is a draw with the baseline. Judges favour long answers and first positions: watch
    the length beside it, and swap the order.
  related: outcome/win_rate, length/response_mean
eval/perplexity (ratio, lower): Evaluation perplexity = exp of the evaluation loss
  watch for: Rising while the training loss falls is overfitting. Comparable only with the same
    tokenizer and data.
  related: eval/loss, lm/perplexity
eval/return_min (reward, higher): Worst evaluation episode = Lowest evaluation return
  watch for: Shows failures that the mean hides: a policy that is good on average may still crash in
    one episode of ten.
  related: eval/return_mean, eval/return_std
eval/return_max (reward, higher): Best evaluation episode = Highest evaluation return
  watch for: Says what is possible, not what is usual: a single lucky episode moves it.
  related: eval/return_mean
  not the same as: eval/return_best
eval/return_best (reward, higher): Best evaluation so far = Best mean evaluation return so far
  watch for: Can only rise. Flat for long means no progress; far above the current value means that
    the policy got worse again, and an older checkpoint is better.
  related: eval/return_mean
  not the same as: eval/return_max
eval/episode_count (episode, neutral): Evaluation episodes = Number of evaluation episodes behind
    the mean
  watch for: Few episodes make a noisy mean. Read every evaluation result with this number beside
    it.
  related: eval/return_mean, eval/return_std
eval/episode_length_std (step, neutral) = Standard deviation of evaluation episode length
"""
