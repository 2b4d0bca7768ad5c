"""What the PPO scheduler can learn, what can go wrong with it, and odd healthy runs."""

from __future__ import annotations

from runvitals.lab.pages import dialect, faults, tasks, variants

FAULTS = faults(
    """
temperature-suppressed (V01): the temperature controller cools the policy far too much under load
  expect: TEMP003, ENT002; accept: TEMP001, ENT001, POL005, KL001
  sets: qps_sensitivity = dose, min_temperature = 0.01; doses: 5.0, 12.0, 40.0  # qps_sensitivity
pulses-never-end (V02): a temperature pulse starts at once, without stagnation, and never ends
  expect: TEMP002, TEMP001; accept: ENT003, ENT004, REW005
  sets: pulse_patience = 1, pulse_updates = 1000000, pulse_factor = dose
  doses: 30.0, 100.0, 300.0  # pulse_factor
kl-strangled (V03): the KL weight is so high that the policy hardly moves
  expect: CLIP002, KL003; accept: KL006, REW005; doses: 5.0, 50.0, 500.0
  sets: kl_coef = dose, kl_coef_min = dose, kl_coef_max = dose
target-kl-ignored (V04): nothing holds the policy near the one that routed, and the learning rate
    is high
  expect: KL001, KL007; accept: KL002, CLIP001, REW003, REW011, ENT001, ENT002, POL003, POL005
  sets: kl_early_stop = False, kl_coef = 0.0, kl_coef_min = 0.0, kl_coef_max = 0.0, learning_rate
    *= dose
  doses: 12.0, 20.0, 40.0  # times the learning rate
balance-weight-high (V05): the balance penalty is weighted so high that it drives the reward
  expect: REW010, LOAD003; accept: REW001, REW002, EVAL002, REW005; sets: balance_weight *= dose
  doses: 5.0, 50.0, 500.0  # times the weight
wait-not-counted (V06): latency is rewarded without the time in the queue, and nothing asks for
    balance
  expect: POL005, LOAD004; accept: REW001, REW002, EVAL001, EVAL002, REW010, ENT001, ENT002, REW005
  sets: balance_weight = 0.0; doses: 0.5, 0.9, 1.0  # share of the wait that is forgotten
delta-weight-high (V07): the delta score punishes every regression so hard that the reward is
    negative
  expect: REW010; accept: REW007, REW012, REW005; doses: 20.0, 60.0, 200.0
  sets: reward_gamma = dose
latency-masked (V08): the reward counts requests when they are routed, and hides how late they are
  expect: REW002, REW010; accept: REW001, EVAL002, REW004, EVAL001, REW005, VAL003
  doses: 0.5, 0.9, 1.0  # share of the latency term that is hidden
reward-sign (P10): the reward has the wrong sign
  expect: REW011; accept: REW001, REW002, EVAL001, EVAL002, REW010, POL005, LOAD004
reward-scale (P08): rewards come in another unit, and end at the clip
  expect: REW012, REW004; accept: VAL001, VAL004, ADV001, GRAD001, GRAD002, REW005
  doses: 10.0, 30.0, 1000.0
reward-noise (P27): the reward is drowned in noise
  expect: REW005; accept: VAL003, VAL002, REW007
  doses: 1.0, 3.0, 10.0  # standard deviation; that of the reward itself is near 0.15
warm-start-failed (V09): the warm start imitates a rule that sends everything to the first replica
  expect: LOAD004, POL005; accept: ENT002, REW005, LOAD003, ENT001
  sets: warm_start = 'first-replica', warm_start_epochs = int(dose); late: no
  doses: 5, 40, 200  # epochs of imitation
resume-without-optimizer (X06): the run is resumed without the optimizer's and the observations'
    statistics
  expect: DATA005; accept: LR001, KL002, REW003, EVAL001, VAL001, KL001; late: no; resume_at: 0.8
replica-slow (V10): the fastest replica turns slow, and its nominal speed is still what is shown
  expect: REW003, TEMP003; accept: REW005, LOAD003, LOAD002, VAL001, EVAL001, REW011, TEMP001
  doses: 1.5, 3.0, 6.0  # times slower
overload (V11): more requests come than the cluster can serve
  expect: REW003, REW005; accept: TEMP003, TEMP001, REW011, VAL001, VAL004; sets: load = dose
  doses: 1.0, 1.4, 2.0  # arrivals as a share of what can be served
stale-state (V12): what is seen of the replicas is many decisions old
  expect: REW005; accept: VAL003, LOAD003, LOAD004, REW003, EVAL001, MIS003
  doses: 8, 32, 128  # decisions
observations-zero (P15): all observations are zero
  expect: VAL003, ENT004; accept: REW005, POL005, EVAL001, VAL002
observation-nan (P32): now and then an observation is not a number
  expect: NUM001; accept: POL005, REW003
lr-x100 (P01): learning rate far too high
  expect: KL001, KL002; accept: ENT001, ENT002, REW003, DATA007, KL007, POL003, POL005, REW011
  doses: 10.0, 30.0, 100.0; sets: learning_rate *= dose
lr-zero (P02): learning rate zero
  expect: POL002; accept: KL003, DATA007, CLIP002, REW005; sets: learning_rate = 0.0
lr-tiny (P03): learning rate far too low
  expect: KL003, CLIP002; accept: ENT004, REW005; doses: 0.1, 0.02, 0.0001
  sets: learning_rate *= dose
entropy-negative (P07): the entropy bonus has the wrong sign, and there is no floor
  expect: ENT001, DATA007; accept: ENT002, POL005, LOAD004, REW005; doses: 0.03, 0.1, 0.5
entropy-bonus-high (P06): the entropy bonus swamps everything else
  expect: ENT004, ENT003; accept: REW005, CLIP002; doses: 0.1, 0.5, 2.0
  sets: entropy_coef = dose, entropy_coef_max = dose
advantage-sign (P09): advantages have the wrong sign
  expect: REW011; accept: REW003, ENT001, EVAL001, POL005, LOAD004, KL007
grad-clip-off (A01): gradients are not clipped, and the learning rate is high
  expect: GRAD001, REW003; accept: KL001, KL002, ENT001, ENT002, POL005, KL007, POL001, GRAD004
  sets: max_grad_norm = 1000000000.0, learning_rate *= dose, value_clip_range = None, kl_early_stop
    = False
  doses: 10.0, 40.0, 150.0  # times the learning rate
grad-clip-tiny (P23): gradients are clipped to almost nothing
  expect: GRAD002; accept: KL003, CLIP002, REW005; doses: 0.0001, 1e-05, 1e-07
  sets: max_grad_norm = dose
clip-ratio-tiny (P21): the clip range is so small that nearly every update is clipped
  expect: CLIP001; accept: KL003, DATA007, REW005; doses: 0.02, 0.005, 0.0005
  sets: clip_ratio = dose
value-coef-zero (P19): the critic is not trained
  expect: VAL002, VAL003; accept: DATA007, REW005; sets: value_coef = 0.0
gamma-zero (P18): the future does not count
  expect: DATA007; accept: REW005, REW011; sets: gamma = 0.0
temperature-mismatch (P24): requests are routed at one temperature, and the update assumes another
  expect: POL004, POL003; accept: KL001, MIS001, KL002, CLIP001, REW005, ENT001, ENT002, KL007
  doses: 1.5, 3.0, 8.0  # times hotter than it is taken to be
optimizer-step-missing (P25): the optimizer never takes its step
  expect: POL002; accept: KL003, ENT004, CLIP002, REW005
""",
    changes={"entropy-negative": lambda _, dose: {"entropy_coef": -dose, "entropy_min": 0.0}},
)

TASKS = tasks(
    "how much less latency than round-robin on held-out arrivals, as a share",
    """
bursty (0.65): four unequal replicas, arrivals in bursts
uneven (0.68): six replicas, the fastest five times as fast as the slowest
  sets: speeds=(0.5, 1.4, 0.4, 2.0, 0.8, 1.1)
""",
)
VARIANTS = variants("""
resumed: stopped half-way and resumed
  resume_at: 0.5
short-run: only 14 updates
  sets: chunks=2, updates_per_chunk=7; learns: no
metrics-missing: no critic, no temperature and no reward statistics are logged
  hides: value*, explained_var, vf_loss, *temp*, reward_*, policy/*
light-load: equal replicas that are hardly busy: all schedulers are alike
  sets: speeds=(1.0, 1.0, 1.0, 1.0), load=0.15; learns: no; tasks: bursty
pulse-at-stagnation: long and strong temperature pulses, each after some time without progress
  sets: pulse_patience=20, pulse_updates=6, pulse_factor=2.2
no-warm-start: starts from a random policy
  sets: warm_start=""
slow-learner: a small learning rate: still improving at the end
  sets: learning_rate=1.5e-4; learns: no
no-annealing: the learning rate stays as it is
  sets: learning_rate_end=1.0
large-batch: twice the clusters, half the updates
  sets: num_clusters=128, minibatches=32, chunks=5
""")


# the tags that the real scheduler writes for TensorBoard
BOARD = dialect("""
approx_kl = Training/ApproxKL; clipfrac = Training/ClipFraction; entropy = Training/Entropy;
pi_loss = Training/PolicyLoss; vf_loss = Training/ValueLoss;
explained_var = Training/ExplainedVariance; pg_grad_norm = Training/GradientNorm;
lr = Training/LearningRate; reward_mean = Rollout/RewardMean; reward_std = Rollout/RewardStd;
reward_min = Rollout/RewardMin; reward_max = Rollout/RewardMax; value_mean = Rollout/ValueMean;
return_mean = Rollout/ReturnMean; advantage_std = Rollout/AdvantageStd;
buffer_progress = System/BufferProgress; delta_throughput = Reward/DeltaThroughput;
delta_latency = Reward/DeltaLatency
""")
