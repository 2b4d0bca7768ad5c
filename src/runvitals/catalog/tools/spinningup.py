"""Names that OpenAI Spinning Up logs, and the metrics they are."""

from runvitals.model import Alias, Framework

VPG_PPO_TRPO = ("VPG", "PPO", "TRPO", "DDPG", "TD3", "SAC")
VPG_PPO_TRPO_3 = ("VPG", "PPO", "TRPO")
DDPG_TD3_SAC = ("DDPG", "TD3", "SAC")

FRAMEWORK = Framework(
    id="spinningup",
    title="OpenAI Spinning Up",
    version="0.2.0",
    names=("spinning-up",),
    kind="classic",
    aliases=(
        Alias("Epoch", "progress/epoch", VPG_PPO_TRPO),
        Alias(
            "AverageEpRet",
            "outcome/return_mean",
            VPG_PPO_TRPO,
            note=(
                "one epoch; trajectories cut by the epoch end are excluded (biased towards "
                "short episodes)"
            ),
        ),
        Alias(
            "StdEpRet",
            "outcome/return_std",
            VPG_PPO_TRPO,
            note=(
                "one epoch; trajectories cut by the epoch end are excluded (biased towards "
                "short episodes)"
            ),
        ),
        Alias(
            "MaxEpRet",
            "outcome/return_max",
            VPG_PPO_TRPO,
            note=(
                "one epoch; trajectories cut by the epoch end are excluded (biased towards "
                "short episodes)"
            ),
        ),
        Alias(
            "MinEpRet",
            "outcome/return_min",
            VPG_PPO_TRPO,
            note=(
                "one epoch; trajectories cut by the epoch end are excluded (biased towards "
                "short episodes)"
            ),
        ),
        Alias("EpLen", "outcome/episode_length_mean", VPG_PPO_TRPO),
        Alias("AverageVVals", "value/mean", VPG_PPO_TRPO_3),
        Alias("StdVVals", "value/std", VPG_PPO_TRPO_3),
        Alias("MaxVVals", "value/max", VPG_PPO_TRPO_3),
        Alias("MinVVals", "value/min", VPG_PPO_TRPO_3),
        Alias("TotalEnvInteracts", "progress/env_steps", VPG_PPO_TRPO),
        Alias("LossPi", "policy/loss", VPG_PPO_TRPO_3),
        Alias("LossV", "value/loss", VPG_PPO_TRPO_3, note="mean((V-R)^2)"),
        Alias("DeltaLossPi", "policy/loss_delta", VPG_PPO_TRPO_3),
        Alias("DeltaLossV", "value/loss_delta", VPG_PPO_TRPO_3),
        Alias("Entropy", "policy/entropy", ("VPG", "PPO"), note="mean(H); tf1: -mean(log pi)"),
        Alias(
            "KL",
            "policy/approx_kl",
            VPG_PPO_TRPO_3,
            note="estimator k1; may be negative; PPO stops at 1.5*target_kl",
        ),
        Alias("ClipFrac", "policy/clip_fraction", ("PPO",), note="mean(r>1+eps or r<1-eps)"),
        Alias("StopIter", "policy/early_stop_iter", ("PPO",)),
        Alias("BacktrackIters", "policy/backtrack_iters", ("TRPO",)),
        Alias("Time", "time/elapsed_s", VPG_PPO_TRPO),
        Alias("AverageTestEpRet", "eval/return_mean", DDPG_TD3_SAC),
        Alias("StdTestEpRet", "eval/return_std", DDPG_TD3_SAC),
        Alias("MaxTestEpRet", "eval/return_max", DDPG_TD3_SAC),
        Alias("MinTestEpRet", "eval/return_min", DDPG_TD3_SAC),
        Alias("TestEpLen", "eval/episode_length_mean", DDPG_TD3_SAC),
        Alias("AverageQVals", "value/q_mean", ("DDPG",)),
        Alias("StdQVals", "value/q_std", ("DDPG",)),
        Alias("MaxQVals", "value/q_max", ("DDPG",)),
        Alias("MinQVals", "value/q_min", ("DDPG",)),
        Alias("AverageQ1Vals", "value/q_mean", ("TD3", "SAC"), labels={"critic": "1"}),
        Alias("StdQ1Vals", "value/q_std", ("TD3", "SAC"), labels={"critic": "1"}),
        Alias("MaxQ1Vals", "value/q_max", ("TD3", "SAC"), labels={"critic": "1"}),
        Alias("MinQ1Vals", "value/q_min", ("TD3", "SAC"), labels={"critic": "1"}),
        Alias("AverageQ2Vals", "value/q_mean", ("TD3", "SAC"), labels={"critic": "2"}),
        Alias("StdQ2Vals", "value/q_std", ("TD3", "SAC"), labels={"critic": "2"}),
        Alias("MaxQ2Vals", "value/q_max", ("TD3", "SAC"), labels={"critic": "2"}),
        Alias("MinQ2Vals", "value/q_min", ("TD3", "SAC"), labels={"critic": "2"}),
        Alias("AverageLogPi", "policy/logprob_mean", ("SAC",)),
        Alias("StdLogPi", None, ("SAC",)),
        Alias("MaxLogPi", None, ("SAC",)),
        Alias("MinLogPi", None, ("SAC",)),
        Alias("LossPi", "policy/loss_total", DDPG_TD3_SAC),
        Alias("LossQ", "value/loss", DDPG_TD3_SAC, note="mse1+mse2"),
        Alias("LossQ1", "value/loss", ("SAC tf1",), labels={"critic": "1"}, note="0.5*mse"),
        Alias("LossQ2", "value/loss", ("SAC tf1",), labels={"critic": "2"}, note="0.5*mse"),
    ),
)
