"""Metrics that ask whether a gain in reward is real, measured in logged samples."""

METRICS = """
gain/reward (reward, neutral): Reward of sampled texts
  Mean reward of the sampled texts
  category: text
  watch for: The reward of the same texts that the other questions are asked of.

gain/length_correlation (ratio, neutral): Reward against length
  Correlation of reward and length among samples of the same prompt
  category: text
  watch for: Near 0 or below: length does not pay. Above 0.5 texts are paid for being long.

gain/reward_at_fixed_length (reward, higher): Reward at fixed length
  Mean reward of the sampled texts if they had stayed as long as at the start
  category: text
  watch for: If it stays flat while the reward rises, the gain is length.

gain/independent_score (ratio, higher): Independent score of samples
  Share of the sampled texts that are right, by a score that is not the reward
  category: text
  watch for: Flat or falling under a rising reward is reward hacking.

gain/pass_at_1 (ratio, higher): pass@1 of samples
  Mean score of the samples of a prompt, over prompts with several samples
  category: text
  watch for: Rises while the policy learns.

gain/pass_at_k (ratio, higher): pass@k of samples
  Share of prompts that at least one sample of the group solves
  category: text
  watch for: A fall beside a rising pass@1: the policy narrows to what it could do already.

gain/lost_prompts (ratio, lower): Solved prompts that were lost
  Share of prompts solved earlier that no sample, or nearly none, solves now
  category: text
  watch for: A rise means that new skills replace old ones.

gain/eval_prompts_trained_on (ratio, lower): Evaluation prompts trained on
  Share of evaluation prompts that also stand in the training samples
  category: text
  watch for: Anything above 0 makes the evaluation score partly a training score.
"""
