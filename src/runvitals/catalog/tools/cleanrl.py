"""Names that CleanRL logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
PPO_PPO_ATARI_PPO_CONTINUOUS = ppo | ppo_atari | ppo_continuous_action | ppo_atari_lstm
  | ppo_atari_envpool | ppo_atari_multigpu | ppo_procgen | ppo_pettingzoo_ma_atari | ppo_rnd_envpool
  | ppg_procgen | rpo_continuous_action | ppo_trxl | isaacgym
outcome/return_mean: charts/episodic_return  # single episode; several points can share one step;
  some off-policy scripts log only the first environment that finished in a step; IsaacGym script
  logs only in the first 3 rollout steps
outcome/episode_length_mean: charts/episodic_length  # single episode
outcome/return_mean (player={i}): charts/episodic_return-player{i} [ppo_pettingzoo_ma_atari]
  # single episode
outcome/episode_length_mean (player={i}): charts/episodic_length-player{i} [ppo_pettingzoo_ma_atari]
  # single episode
outcome/return_mean (window=recent): charts/avg_episodic_return [ppo_atari_envpool_xla_jax
  | ppo_rnd_envpool | pqn_atari_envpool]  # last episode of each env, or last 20
outcome/episode_length_mean (window=recent): charts/avg_episodic_length [ppo_atari_envpool_xla_jax]
optim/learning_rate: charts/learning_rate [PPO_PPO_ATARI_PPO_CONTINUOUS]
throughput/env_steps_per_s: charts/SPS  # cumulative average; counts learning time
throughput/env_steps_per_s (window=update): charts/SPS_update [ppo_atari_envpool_xla_jax]
  # int(num_envs*num_steps/iteration time)
explore/epsilon: charts/epsilon [dqn | dqn_atari | dqn_jax | c51 | c51_atari | c51_jax | pqn
  | qdagger]  # dqn and c51 up to 1.0
replay/priority_beta (always): charts/beta [rainbow_atari]
policy/entropy_coef: charts/entropy_coefficient [ppo_trxl]
reward/intrinsic_mean: charts/episode_curiosity_reward [ppo_rnd_envpool]
outcome/success_rate: charts/consecutive_successes [isaacgym]
[qdagger]
none (always): charts/distill_coeff
none: charts/teacher/avg_episodic_return
optim/loss (phase=offline): charts/offline/loss  # q_loss + distill_loss
value/loss (phase=offline): charts/offline/q_loss  # mse
distill/loss (phase=offline): charts/offline/distill_loss
eval/return_mean (phase=offline): charts/offline/avg_episodic_return
[PPO_PPO_ATARI_PPO_CONTINUOUS]
value/loss: losses/value_loss  # factor 0.5 included, vf_coef not; ppo_trxl omits the 0.5
policy/loss: losses/policy_loss
policy/entropy: losses/entropy  # variable is called entropy_loss in the code but is the plain
  entropy
policy/kl_old: losses/old_approx_kl  # estimator k1; can be negative
policy/approx_kl: losses/approx_kl [ppo | ppo_atari | ppo_continuous_action | ppo_atari_lstm
  | ppo_atari_envpool | ppo_atari_multigpu | ppo_procgen | ppo_pettingzoo_ma_atari | ppo_rnd_envpool
  | ppg_procgen | rpo_continuous_action | ppo_trxl | isaacgym | ppo_atari_envpool_xla_jax]
  # estimator k3; preferred over old_approx_kl; target_kl stops after the epoch when approx_kl >
  target_kl (no factor 1.5)
policy/clip_fraction: losses/clipfrac [ppo | ppo_atari | ppo_continuous_action | ppo_atari_lstm
  | ppo_atari_envpool | ppo_atari_multigpu | ppo_procgen | ppo_pettingzoo_ma_atari | ppg_procgen
  | rpo_continuous_action | ppo_trxl | isaacgym]  # mean(|r-1|>eps)
value/explained_variance: losses/explained_variance [ppo | ppo_atari | ppo_continuous_action
  | ppo_atari_lstm | ppo_atari_envpool | ppo_atari_multigpu | ppo_procgen | ppo_pettingzoo_ma_atari
  | ppg_procgen | rpo_continuous_action | ppo_trxl]  # 1-Var(R-V)/Var(R), NaN if Var(R)=0
optim/loss: losses/loss [ppo_atari_envpool_xla_jax | ppo_trxl | qdagger]
  # ppo_atari_envpool_xla_jax: pg - ent_coef*H + vf_coef*v; qdagger: q_loss + coeff*distill
value/loss: losses/loss [c51 | c51_atari | c51_jax]  # -sum target*log pred
value/loss: losses/td_loss [dqn | dqn_atari | dqn_jax | pqn | qdagger | rainbow_atari]  # dqn:
  logged every 100 steps, one batch; rainbow_atari: mean(w*CE)
value/q_mean: losses/q_values [dqn | dqn_atari | dqn_jax | c51 | c51_atari | c51_jax | rainbow_atari
  | pqn | qdagger]
value/q_mean (critic=1): losses/qf1_values [sac | td3 | ddpg]
value/q_mean (always; critic=2): losses/qf2_values [sac | td3]
value/loss (critic=1): losses/qf1_loss [sac | td3 | ddpg]  # mse
value/loss (critic=2): losses/qf2_loss [sac | td3]  # mse
value/loss: losses/qf_loss [sac | td3]  # the optimised loss is the sum, the logged one is half of
  it
policy/loss_total: losses/actor_loss [sac]
policy/loss: losses/actor_loss [td3 | ddpg]
policy/entropy_coef (always): losses/alpha [sac]
policy/entropy_coef_loss: losses/alpha_loss [sac]  # uses alpha, SB3 uses log_alpha
aux/loss (kind=rnd): losses/fwd_loss [ppo_rnd_envpool]
distill/loss: losses/distill_loss [qdagger]
aux/loss (kind=reconstruction): losses/reconstruction_loss [ppo_trxl]
[ppg_procgen]
aux/loss (kind=ppg_kl): losses/aux/kl_loss
aux/loss (kind=ppg_aux_value): losses/aux/aux_value_loss
value/loss (phase=aux): losses/aux/real_value_loss  # 0.5*mse
[ppo_trxl]
env/metric (name={key}): episode/{key}_mean
value/mean: episode/value_mean
advantage/mean: episode/advantage_mean
eval/return_mean: eval/episodic_return [scripts with save_model]  # single episode; step is the
  episode index 0..9, not global_step
"""

FRAMEWORK = Framework(
    id="cleanrl",
    title="CleanRL",
    version="2.0.0b1 (commit fe8d8a0)",
    kind="classic",
    aliases=aliases(NAMES),
)
