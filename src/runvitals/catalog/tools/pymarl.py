"""Names that PyMARL and EPyMARL log, and the metrics they are.

Read off the sources of oxwhirl/pymarl at c971afd (2021) and uoe-agents/epymarl at cbc38c0 (2024): the
runners in `src/runners`, the learners in `src/learners`, and `src/run.py`. The battle's names come from
the environment, oxwhirl/smac. Forks keep these names.
"""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
# The runners log each of these of training, and of tests with `test_` before it.
outcome/return_mean: return_mean  # mean of the episodes since it was logged last
outcome/return_std: return_std
outcome/return_mean: total_return_mean  # sum of the agents' returns; EPyMARL without a common
  reward
outcome/return_std: total_return_std
outcome/return_mean (agent={i}): agent_{i}_return_mean
outcome/return_std (agent={i}): agent_{i}_return_std
outcome/success_rate: battle_won_mean  # battles won against the game's own AI, not in self-play
outcome/episode_length_mean: ep_length_mean
outcome/termination_rate (transform=1 - x): episode_limit_mean  # share of episodes that the time
  limit ended
eval/return_mean: test_return_mean
eval/return_std: test_return_std
eval/return_mean: test_total_return_mean
eval/return_std: test_total_return_std
eval/return_mean (agent={i}): test_agent_{i}_return_mean
eval/return_std (agent={i}): test_agent_{i}_return_std
eval/success_rate: test_battle_won_mean
eval/episode_length_mean: test_ep_length_mean
eval/outcome/termination_rate (transform=1 - x): test_episode_limit_mean
none: dead_allies_mean | test_dead_allies_mean | dead_enemies_mean | test_dead_enemies_mean
# Independent Q-learning, `iql` in their configs, is DQN for each agent.
explore/epsilon: epsilon
progress/episodes: episode
value/loss: loss [QMIX | VDN | DQN]  # mean squared TD error
optim/loss: loss [QTRAN]  # td_loss and the weighted opt and nopt losses
optim/grad_norm: grad_norm [QMIX | VDN | QTRAN | DQN]  # before clipping
value/td_error: td_error_abs
value/q_mean: q_taken_mean [QMIX | VDN | DQN]  # a mixer's joint value is divided by the number of
  agents
value/q_mean: q_taken_mean [COMA | MADDPG]
value/mean: q_taken_mean [MAPPO | IPPO | MAA2C | IA2C]  # EPyMARL: a state value, despite its name
value/q_target_mean: target_mean [QMIX | VDN | DQN]  # a mixer's joint value is divided by the
  number of agents
value/q_target_mean: target_mean [COMA | MADDPG]
returns/mean: target_mean [MAPPO | IPPO | MAA2C | IA2C]  # n-step returns
[QTRAN]
value/loss: td_loss
none: opt_loss | nopt_loss
value/q_mean: td_chosen_qs  # of the joint action
value/q_mean (of=single agents): agent_indiv_qs
none: td_targets  # the mean TD error, despite its name
value/mean: v_mean
[COMA | MADDPG | MAPPO | IPPO | MAA2C | IA2C]
value/loss: critic_loss  # mean squared TD error
value/grad_norm: critic_grad_norm  # before clipping
policy/grad_norm: agent_grad_norm  # before clipping
advantage/mean: advantage_mean [COMA | MAPPO | IPPO | MAA2C | IA2C]
none: pi_max [COMA | MAPPO | IPPO | MAA2C | IA2C]  # mean probability of the likeliest action
policy/loss_total: coma_loss [COMA]  # PyMARL's has no entropy term
policy/loss: pg_loss [MAPPO | IPPO | MAA2C | IA2C | MADDPG]  # with the entropy term
policy/entropy_coef: entropy_coef [PAC]
none: Mask_Sum_Zero []  # the batch had nothing to learn from
"""

FRAMEWORK = Framework(
    id="pymarl",
    title="PyMARL and EPyMARL",
    version="PyMARL of 2021, EPyMARL 2.0",
    names=("epymarl", "pymarl2", "pymarl3"),
    kind="classic",
    marks=("test_return_mean ep_length_mean", "test_battle_won_mean", "coma_loss"),
    aliases=aliases(NAMES),
)
