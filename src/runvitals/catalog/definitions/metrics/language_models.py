"""Metrics of training language models on given texts, and of what they write."""

METRICS = """
# Supervised language-model training
lm/loss (nat, lower): Cross-entropy = Token cross-entropy of supervised or distillation training
  watch for: Falls fast, then slowly. A rise in the middle is a learning rate that is too high or a
    change of data; training loss far below evaluation loss is memorising.
  related: eval/loss, lm/token_accuracy, optim/grad_norm
lm/token_accuracy (ratio, higher): Token accuracy = Share of label tokens that are the argmax
    prediction
  watch for: Rises as the loss falls. Near 1 on the training data only: memorising.
  related: lm/loss
  not the same as: preference/accuracy, rm/accuracy
lm/entropy (nat, neutral): Next-token entropy = Mean entropy of the next-token distribution
  watch for: Falls as the model becomes sure of the data. Very low with a rising evaluation loss:
    over-confident, that is overfitted.
  related: lm/loss, eval/loss
  not the same as: policy/entropy
lm/perplexity (ratio, lower): Training perplexity = exp(cross-entropy)
  watch for: The exponential of the loss, so small changes of the loss look large. Compare only with
    the same tokenizer.
  related: lm/loss, eval/perplexity
lm/aux_loss (loss, lower): Expert balancing loss = Mixture-of-experts load-balancing loss
  watch for: Rising means that experts get unequal work; falling to its floor means even routing.
    Its weight must stay small against the main loss.
  related: moe/load_violation_max, lm/loss
lm/sequence_accuracy (ratio, higher): Sequences without an error = Share of sequences predicted
    without any wrong token
  watch for: Far stricter than token accuracy: 99 percent of tokens right can still leave most long
    sequences with an error.
  related: lm/token_accuracy
  not the same as: lm/token_accuracy

# Preference optimisation (DPO and kin)
preference/loss (loss, lower; glossary): Preference loss = Preference-optimisation loss (DPO family)
  watch for: Should fall from ln 2 = 0.693 (DPO at the start). Falling fast to zero on the training
    pairs only is memorising.
  related: preference/margin, preference/accuracy
  not the same as: rm/loss
preference/margin (reward, higher; glossary): Chosen minus rejected reward = Mean implicit reward of
    chosen minus rejected
  watch for: The main sign of discrimination. If it grows while held-out evaluation does not, the
    model overfits the pairs. Check both parts: a margin can grow because the chosen answers lose
    less than the rejected ones.
  related: preference/chosen_reward, preference/rejected_reward, preference/accuracy
  not the same as: rm/margin
preference/accuracy (ratio, higher; glossary): Preference accuracy = Share of pairs where the chosen
    implicit reward is larger
  watch for: Share of pairs that the model orders as people did. 0.5 is guessing (exactly 0 at the
    first step, where ties count as wrong).
  related: preference/margin, preference/loss
  not the same as: rm/accuracy, lm/token_accuracy
  healthy: * to 0.99 (kind=limit; kinds=preference): 99 percent and more on the training pairs, with
    evaluation standing still, is overfitting [glossary]
  context: training pairs
preference/chosen_reward (reward, higher; glossary): Implicit reward of chosen answers = Mean
    implicit reward of chosen responses
  watch for: If it falls below zero while the margin grows, the model makes even the good answers
    less likely.
  related: preference/margin, preference/chosen_logprob
  not the same as: rm/score_chosen_mean
preference/rejected_reward (reward, lower; glossary): Implicit reward of rejected answers = Mean
    implicit reward of rejected responses
  watch for: Falls as training continues; when it falls without bound, beta is too small or the
    learning rate too high.
  related: preference/margin
  not the same as: rm/score_rejected_mean
preference/chosen_logprob (nat, neutral): Log-probability of chosen answers = Log-probability of
    chosen responses under the policy
  watch for: A mild fall is common in DPO; a steep one means that the model unlearns the good
    answers too. Then add a supervised term or raise beta.
  related: preference/rejected_logprob, preference/chosen_reward
preference/rejected_logprob (nat, neutral): Log-probability of rejected answers = Log-probability of
    rejected responses under the policy
  watch for: Should fall faster than that of the chosen ones. Both falling in step teaches no
    preference.
  related: preference/chosen_logprob, preference/rejected_reward
preference/chosen_logits (logit, neutral): Logits of chosen answers = Mean logit over chosen
    responses
  watch for: Raw scale without a reference point: useful only to notice a blow-up.
  related: preference/rejected_logits
  not the same as: preference/chosen_logprob
preference/rejected_logits (logit, neutral): Logits of rejected answers = Mean logit over rejected
    responses
  watch for: Read as a pair with the chosen ones; both growing without bound is numerical trouble.
  related: preference/chosen_logits
  not the same as: preference/rejected_logprob
preference/nll_loss (nat, lower): Supervised term on chosen answers = Supervised term on chosen
    responses
  watch for: Keeps the chosen answers likely. Rising while the margin grows: the preference term
    wins at their expense.
  related: preference/loss, preference/chosen_logprob
preference/kl (nat, target): KL of preference training = KL baseline of KTO or policy-to-reference
    KL of online methods
  watch for: How far the policy has left its reference. Growth with a flat margin is drift without
    gain.
  related: preference/margin
  not the same as: policy/kl_ref
preference/log_odds_ratio (nat, higher): Odds-ratio term = ORPO log-sigmoid of the log odds ratio
  watch for: A log-sigmoid, so at most zero and closer to zero is better; flat means that the odds
    term teaches nothing.
  related: preference/log_odds_chosen, preference/loss
preference/log_odds_chosen (nat, higher): Log odds of chosen over rejected = ORPO log odds ratio of
    chosen over rejected
  watch for: Above zero when chosen answers are preferred. Should rise and level off.
  related: preference/log_odds_ratio, preference/accuracy
preference/average_reward (reward, neutral): Mean implicit reward = Mean implicit reward over chosen
    and rejected
  watch for: A steady fall says that both answers lose probability; the margin may still grow
    meanwhile.
  related: preference/chosen_reward, preference/rejected_reward
preference/beta (coefficient, neutral) = Temperature of the preference loss
preference/score_margin (score, higher): Judged margin of online pairs = Reward-model score of
    chosen minus rejected in online preference training
  watch for: Near zero: the judge sees no difference between the two samples, so the pair is a coin
    toss.
  related: preference/margin, rm/margin
  not the same as: preference/margin

# Distillation
distill/loss (loss, lower): Distillation loss = Distillation loss
  watch for: Should fall and flatten. Flat from the start: check that student and teacher share the
    tokenizer and the temperature.
  related: distill/kl, eval/loss
distill/kl (nat, lower): Distance from the teacher = Divergence between student and teacher
  watch for: Falls as the student imitates. A floor well above zero is the capacity gap, or a top-k
    that is too small.
  related: distill/loss, distill/overlap_ratio
  not the same as: policy/kl_ref
distill/teacher_entropy (nat, neutral) = Entropy of the teacher distribution
distill/student_mass (ratio, higher) = Probability mass of the student inside the compared top-k
distill/teacher_mass (ratio, higher) = Probability mass of the teacher inside the compared top-k
distill/overlap_ratio (ratio, higher): Shared top tokens = Share of top-k tokens shared by student
    and teacher
  watch for: How often student and teacher consider the same tokens. Low late in training: the
    student has its own mode.
  related: distill/kl, distill/student_mass

# Mixtures of experts
moe/load_violation_max (ratio, lower): Worst expert overload = Worst relative overload of an expert
  watch for: One expert that gets much more than its share slows every step and drops tokens where
    capacity is limited.
  related: moe/load_violation_mean, lm/aux_loss
moe/load_violation_mean (ratio, lower): Expert load imbalance = Mean relative deviation of expert
    load from uniform
  watch for: Should stay flat during RL. A rise means that routing collapses on a few experts.
  related: moe/load_violation_max
moe/routing_confidence (ratio, neutral) = Mean router confidence
moe/routing_disagreement (ratio, lower): Routing disagreement = Share of tokens that the trainer
    sends to other experts than the rollout engine did
  watch for: A few percent are rounding. More means that both sides train and sample different
    networks: replay the engine's routes.
  related: mismatch/kl, moe/replay_fallback_fraction
  healthy: * to 0.1 (kind=limit): about one router in ten differs between engines without replay,
    enough to make training collapse [Ma et al. (2025), Stabilizing MoE RL by aligning training and
    inference routers]
moe/replay_fallback_fraction (ratio, lower): Routes that were not replayed = Share of tokens whose
    recorded route was missing, so that the trainer chose its own
  watch for: Should be 0 where routes are replayed. Above it the two engines differ on those tokens.
  related: moe/routing_disagreement
  healthy: * to 0.01 (kind=limit): replay is meant to cover every token [judgement]

# Is a gain in reward real? Measured in logged samples
gain/reward (reward, neutral): Reward of sampled texts = Mean reward of the sampled texts
  watch for: The reward of the same texts that the other questions are asked of.
gain/length_correlation (ratio, neutral): Reward against length = Correlation of reward and length
    among samples of the same prompt
  watch for: Near 0 or below: length does not pay. Above 0.5 texts are paid for being long.
gain/reward_at_fixed_length (reward, higher): Reward at fixed length = Mean reward of the sampled
    texts if they had stayed as long as at the start
  watch for: If it stays flat while the reward rises, the gain is length.
gain/independent_score (ratio, higher): Independent score of samples = Share of the sampled texts
    that are right, by a score that is not the reward
  watch for: Flat or falling under a rising reward is reward hacking.
gain/pass_at_1 (ratio, higher): pass@1 of samples = Mean score of the samples of a prompt, over
    prompts with several samples
  watch for: Rises while the policy learns.
gain/pass_at_k (ratio, higher): pass@k of samples = Share of prompts that at least one sample of the
    group solves
  watch for: A fall beside a rising pass@1: the policy narrows to what it could do already.
gain/lost_prompts (ratio, lower): Solved prompts that were lost = Share of prompts solved earlier
    that no sample, or nearly none, solves now
  watch for: A rise means that new skills replace old ones.
gain/eval_prompts_trained_on (ratio, lower): Evaluation prompts trained on = Share of evaluation
    prompts that also stand in the training samples
  watch for: Anything above 0 makes the evaluation score partly a training score.

# What a model wrote, measured in its logged samples
text/garbage_share (ratio, lower): Garbage texts = Share of sampled texts that nobody would write:
    one character repeated, or random
  watch for: Should stay where it began. A rise: the model has broken, whatever the reward says.
text/loop_share (ratio, lower): Texts that loop = Share of sampled texts that mostly repeat
    themselves
  watch for: A rise means loops: look at the length and at the end token.
text/duplicate_share (ratio, lower): Near twins in groups = Share of sampled texts with a near copy
    among the samples of their prompt
  watch for: Groups of copies have no gradient. Watch it together with the entropy.
text/copied_share (ratio, lower): Texts that copy the prompt = Share of sampled texts that mostly
    copy their prompt
  watch for: A rise beside a rising reward is reward hacking.
text/refusal_share (ratio, lower): Refusals = Share of sampled texts that begin by declining to
    answer
  watch for: A rise beside a rising reward: the reward prefers refusals.
text/unfinished_reasoning_share (ratio, lower): Unfinished reasoning = Share of sampled texts whose
    reasoning is never closed, or has no answer after it
  watch for: A rise means that texts are cut off, or that the format is forgotten.
text/bare_answer_share (ratio, neutral): Answers without reasoning = Share of sampled texts that
    answer after fewer than five words
  watch for: Falls while a model learns to reason, rises where reasoning is unlearned.
text/no_answer_share (ratio, lower): Texts without an answer = Share of sampled texts without a
    marked answer
  watch for: A rise means that a checker finds nothing to score.
text/mixed_scripts_share (ratio, lower): Mixed languages = Share of sampled texts with a good part
    in a script that their prompt does not have
  watch for: A rise is drift from the reference.
text/tool_loop_share (ratio, lower): Repeated tool calls = Share of sampled rollouts that repeat a
    tool call three times or more
  watch for: A rise means rollouts that get nowhere.
text/tool_error_share (ratio, lower): Failing tool calls = Share of sampled rollouts whose tools
    mostly answer with errors
  watch for: A rise means malformed calls, or a tool that is down.

# General supervised loops
supervised/accuracy (ratio, higher): Accuracy of predictions = Share of correct predictions on the
    training split (general supervised loops)
  watch for: Read it with validation accuracy: a growing gap is overfitting.
  related: eval/supervised/accuracy, eval/loss
supervised/score (score, higher): Prediction score = Quality of predictions on the training split,
    at most 1: F1, AUC, IoU, R2
  watch for: Read it with the validation score: a growing gap is overfitting.
  related: eval/supervised/score, eval/loss
supervised/error (error, lower): Prediction error = Error of a prediction on the training split:
    MSE, RMSE, MAE (label metric)
  watch for: Read it with the validation error: a growing gap is overfitting.
  related: eval/supervised/error, eval/loss
supervised/metric (unit, neutral) = Other user-named metric of a general training loop (label name)

# Auxiliary losses
aux/loss (loss, neutral) = Auxiliary loss (label kind: rnd, curiosity_forward, curiosity_inverse,
    discriminator, bounds, symmetry, reconstruction, distill, bc)
aux/generator_loss (loss, neutral): Generator loss = Loss of a generator against the discriminator
    that is trained with it. It tells how the two stand to each other, not how good the samples are
  related: aux/discriminator_loss
aux/discriminator_loss (loss, neutral): Discriminator loss = Loss of a discriminator against the
    generator that is trained with it. Near 0 it wins, and the generator learns little
  related: aux/generator_loss
"""
