"""Names that garage logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
eval/return_mean: Evaluation/AverageReturn  # for on-policy algorithms these are the TRAINING
  episodes of the batch although the prefix says Evaluation
eval/return_std: Evaluation/StdReturn  # for on-policy algorithms these are the TRAINING episodes of
  the batch although the prefix says Evaluation
eval/return_max: Evaluation/MaxReturn  # for on-policy algorithms these are the TRAINING episodes of
  the batch although the prefix says Evaluation
eval/return_min: Evaluation/MinReturn  # for on-policy algorithms these are the TRAINING episodes of
  the batch although the prefix says Evaluation
eval/outcome/return_discounted_mean: Evaluation/AverageDiscountedReturn  # for on-policy algorithms
  these are the TRAINING episodes of the batch although the prefix says Evaluation
eval/outcome/termination_rate: Evaluation/TerminationRate  # for on-policy algorithms these are the
  TRAINING episodes of the batch although the prefix says Evaluation
eval/success_rate: Evaluation/SuccessRate  # for on-policy algorithms these are the TRAINING
  episodes of the batch although the prefix says Evaluation
eval/episode_count: Evaluation/NumEpisodes  # for on-policy algorithms these are the TRAINING
  episodes of the batch although the prefix says Evaluation
progress/step: Evaluation/Iteration  # for on-policy algorithms these are the TRAINING episodes of
  the batch although the prefix says Evaluation
eval/return_mean: {task}/AverageReturn [multi-task]
progress/env_steps: TotalEnvSteps
[VPG | PPO | TRPO | NPO]
policy/loss: {policy_object}/LossBefore  # {policy} is the policy object's name, e.g.
  GaussianMLPPolicy
none: {policy_object}/LossAfter  # {policy} is the policy object's name, e.g. GaussianMLPPolicy
policy/loss_delta (scale=-1): {policy_object}/dLoss  # {policy} is the policy object's name, e.g.
  GaussianMLPPolicy
none: {policy_object}/KLBefore  # {policy} is the policy object's name, e.g. GaussianMLPPolicy
policy/approx_kl: {policy_object}/KL  # estimator exact KL(old||new); {policy} is the policy
  object's name, e.g. GaussianMLPPolicy
policy/entropy: {policy_object}/Entropy  # {policy} is the policy object's name, e.g.
  GaussianMLPPolicy
none: {policy_object}/Perplexity  # {policy} is the policy object's name, e.g. GaussianMLPPolicy
[VPG | PPO | TRPO]
value/loss: {value_object}/LossBefore  # negative log likelihood of a Gaussian value function
none: {value_object}/LossAfter
value/loss_delta (scale=-1): {value_object}/dLoss
value/explained_variance: {value_object}/ExplainedVariance [NPO (TF)]  # 1-Var(y-f)/(Var(y)+1e-8)
[DDPG | TD3 | DQN]
policy/loss: Policy/AveragePolicyLoss
value/loss: QFunction/AverageQFunctionLoss
value/q_mean: QFunction/AverageQ
value/q_max: QFunction/MaxQ
value/q_abs_mean: QFunction/AverageAbsQ
value/q_target_mean: QFunction/AverageY
value/q_target_max: QFunction/MaxY
none: QFunction/AverageAbsY
progress/epoch: Epoch
outcome/return_mean: Evaluation/100EpRewardMean [DQN]
[SAC]
policy/entropy_coef: AlphaTemperature/mean
policy/loss_total: Policy/Loss
value/loss (critic=1): QF/Qf1Loss
value/loss (critic=2): QF/Qf2Loss
replay/size: ReplayBuffer/buffer_size
outcome/return_mean: Average/TrainAverageReturn
explore/epsilon: EpsilonGreedyPolicy/Epsilon [DQN]
explore/noise_std: AddGaussianNoise/Sigma [DDPG | TD3]
outcome/return_mean: Extras/EpisodeRewardMean [NPO | CEM | CMA-ES]
"""

FRAMEWORK = Framework(
    id="garage",
    title="garage",
    version="2020.09.0rc2-dev (commit 2d59480)",
    names=("rllab",),
    kind="classic",
    aliases=aliases(NAMES),
)
