"""Settings that contradict each other or cannot be intended: one small check for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from runvitals.model import Severity
from runvitals.model.formatting import number
from runvitals.rules.data._values import as_number, raw_number
from runvitals.rules.patient import Patient

IN_GROUPS = ("GRPO", "RLOO", "DAPO", "GSPO", "DRGRPO")
# Without an actor the target network may be copied as a whole, now and then.
COPIED = ("DQN", "DDQN", "QRDQN", "C51", "RAINBOW", "IQN", "FQF", "PQN", "QDAGGER")
CONTROL = ("on-policy", "off-policy")
SHORT_SIGHTED = 0.8  # gamma: 5 steps ahead a reward counts for a third (judgement)
TINY_CLIP_RANGE = 0.005  # a twentieth of the smallest usual one (judgement)
TINY_TARGET_KL = 1e-4  # a hundredth of the smallest usual one (judgement)
LATE_START = 0.5  # of the run without an update (judgement)
MIN_BATCHES = 4  # that a replay buffer holds: with fewer, all batches are alike (judgement)
MIN_WEIGHTS = 3  # of a rubric; two may be a score and a penalty
ROUNDING = 0.05  # off 1 in all, where each weight is rounded by itself
FAR_OFF_ONE = (0.5, 1.5)  # a sum outside is not a slip in one weight (judgement)


class Wrong(NamedTuple):
    """A setting that cannot be intended. `fatal`: it holds even if the outcome looks good."""

    severity: Severity
    message: str
    advice: str
    fatal: bool = False


def _value(patient: Patient, key: str) -> float | None:
    return as_number(patient.setting(key))


def discount(patient: Patient) -> Wrong | None:
    """Outside 0 to 1 nothing converges; at 0 only the next reward counts."""
    gamma = _value(patient, "gamma")
    if gamma is None or patient.kind not in (*CONTROL, "llm-rl"):
        return None
    if gamma < 0 or gamma > 1:
        return Wrong("critical", f"gamma is {gamma:g}, outside 0 to 1", "use 0.9 to 0.999", True)
    if gamma == 0 and patient.kind in CONTROL:
        return Wrong("warning", "gamma is 0: only the next reward counts", "use 0.9 to 0.999")
    if gamma < SHORT_SIGHTED and patient.kind in CONTROL:
        return Wrong(
            "notice", f"gamma is {gamma:g}: only a few steps ahead count", "use 0.9 to 0.999"
        )
    return None


def gae_lambda(patient: Patient) -> Wrong | None:
    """It is a share."""
    value = _value(patient, "gae_lambda")
    if value is None or patient.kind not in ("on-policy", "llm-rl") or 0 <= value <= 1:
        return None
    return Wrong("critical", f"gae_lambda is {value:g}, outside 0 to 1", "use 0.9 to 1", True)


def learning_rate(patient: Patient) -> Wrong | None:
    """Below 0 the opposite is learned. LR002 covers 0 and absurd values."""
    rate = _value(patient, "learning_rate")
    logged = patient.find("optim/learning_rate", "policy/learning_rate")
    if rate is None or (logged is not None and float(logged.values.max()) > 0):
        return None
    if rate >= 0:
        return None
    return Wrong("critical", f"the learning rate is {rate:g}", "use a positive value", True)


def target_entropy(patient: Patient) -> Wrong | None:
    """Bounded continuous actions have at most 0.7 of entropy per dimension."""
    value = _value(patient, "target_entropy")
    if value is None or value <= 0 or not patient.continuous or "SAC" not in patient.algorithm:
        return None
    return Wrong(
        "warning",
        f"the target entropy is {value:g}: continuous actions cannot reach it",
        "use minus the number of action dimensions",
        True,
    )


def clip_range(patient: Patient) -> Wrong | None:
    """At 0 every update is clipped; above 1 none is."""
    value = _value(patient, "clip_range")
    if value is None or patient.kind not in ("on-policy", "llm-rl"):
        return None
    if value < 0:
        return Wrong("critical", f"the clip range is {value:g}", "use 0.1 to 0.3", True)
    if value == 0 and "PPO" in patient.algorithm:
        return Wrong("warning", "the clip range is 0: every update is clipped", "use 0.1 to 0.3")
    if value > 1 or 0 < value < TINY_CLIP_RANGE:
        return Wrong("notice", f"the clip range is {value:g}", "0.1 to 0.3 is usual")
    return None


def entropy_bonus(patient: Patient) -> Wrong | None:
    """A negative one rewards certainty."""
    value = _value(patient, "entropy_coef")
    if value is None or value >= 0 or patient.kind not in ("on-policy", "llm-rl", "off-policy"):
        return None
    return Wrong(
        "warning",
        f"the entropy bonus is {value:g}: it penalises exploration",
        "use 0 to 0.02, and check the sign in the loss",
    )


def target_kl(patient: Patient) -> Wrong | None:
    """Small enough to stop every update at once."""
    value = _value(patient, "target_kl")
    if value is None or patient.kind not in ("on-policy", "llm-rl"):
        return None
    if not 0 < value <= TINY_TARGET_KL:
        return None
    return Wrong("warning", f"target_kl is {value:g}: it stops every update", "use 0.01 to 0.05")


def kl_weight(patient: Patient) -> Wrong | None:
    """A penalty that outweighs any reward ties the policy to its reference."""
    value = _value(patient, "kl_coef")
    if value is None or value < 1 or patient.kind != "llm-rl":
        return None
    return Wrong(
        "warning",
        f"the KL penalty weight is {value:g}: it ties the policy to its reference",
        "use 0 to 0.1",
        True,
    )


def group_size(patient: Patient) -> Wrong | None:
    """One response has nothing to be compared with."""
    value = _value(patient, "group_size")
    if value is None or not patient.algorithm.startswith(IN_GROUPS):
        return None
    if value < 2:
        return Wrong(
            "critical",
            f"the group size is {value:g}: a response has nothing to be compared with",
            "sample 4 to 16 responses per prompt",
        )
    if value == 2 and not patient.algorithm.startswith("RLOO"):
        return Wrong("notice", "the group size is 2: advantages are coarse", "4 to 16 is usual")
    return None


def target_network(patient: Patient) -> Wrong | None:
    """It has to move, and more slowly than the network that learns."""
    if patient.kind != "off-policy":
        return None
    tau = _value(patient, "tau")
    every = raw_number(
        patient.run, "target_update_interval", "target_network_frequency", "target_update_freq"
    )
    total = _value(patient, "total_steps")
    if tau is not None and tau <= 0:
        return Wrong("critical", f"tau is {tau:g}: the target network never moves", "use 0.005")
    if tau is not None and tau >= 1 and not patient.algorithm.endswith(COPIED):
        return Wrong(
            "warning",
            f"tau is {tau:g}: the target network copies the network at every step",
            "use 0.005",
        )
    if every is not None and total is not None and every >= total:
        return Wrong(
            "warning",
            f"the target network is copied every {every:,.0f} steps in a run of {total:,.0f}: never",
            "copy it at least a hundred times per run",
        )
    if every is not None and every <= 1 and (tau is None or tau >= 1):
        return Wrong(
            "warning",
            "the target network is copied at every step",
            "copy every 100 to 10,000 steps",
        )
    return None


def learning_starts(patient: Patient) -> Wrong | None:
    """Updates have to begin before the run is over."""
    start, total = _value(patient, "learning_starts"), _value(patient, "total_steps")
    if start is None or total is None or total <= 0 or patient.kind != "off-policy":
        return None
    if start < LATE_START * total:
        return None
    return Wrong(
        "critical" if start >= total else "warning",
        f"learning starts at step {start:,.0f} of {total:,.0f}",
        "start after 1 to 5% of the run",
    )


def replay_buffer(patient: Patient) -> Wrong | None:
    """It has to hold more than what is drawn from it at once."""
    size, batch = _value(patient, "buffer_size"), _value(patient, "batch_size")
    if size is None or batch is None or patient.kind != "off-policy":
        return None
    if size >= MIN_BATCHES * batch:
        return None
    return Wrong(
        "warning",
        f"the replay buffer holds {size:g} transitions, and a batch takes {batch:g}",
        "use a buffer of at least 10,000 transitions",
    )


def warm_up(patient: Patient) -> Wrong | None:
    """The learning rate has to arrive."""
    steps, total = _value(patient, "warmup_steps"), _value(patient, "total_steps")
    share = _value(patient, "warmup_ratio")
    if patient.kind not in ("sft", "preference", "reward-model", "llm-rl"):
        return None
    if share is not None and share >= 1:
        return Wrong(
            "warning", f"warmup_ratio is {share:g}: warm-up takes the whole run", "use 0.03 to 0.1"
        )
    if steps is None or total is None or not steps > total > 0:
        return None
    return Wrong(
        "warning",
        f"warm-up takes {steps:,.0f} steps, but the run has only {total:,.0f}",
        "use 3 to 10% of the run",
    )


def sampling_temperature(patient: Patient) -> Wrong | None:
    """At 0 all responses to a prompt are the same."""
    value = _value(patient, "temperature")
    if value is None or value > 0 or not patient.algorithm.startswith(IN_GROUPS):
        return None
    return Wrong(
        "warning",
        "rollouts are sampled at temperature 0: all responses to a prompt are the same",
        "use 0.7 to 1.0",
    )


def preference_beta(patient: Patient) -> Wrong | None:
    """At 0 the loss does not depend on the policy."""
    value = _value(patient, "preference_beta")
    if value is None or value > 0 or patient.kind != "preference":
        return None
    return Wrong("critical", f"beta is {value:g}: pairs teach nothing", "use 0.01 to 0.5")


def critic_weight(patient: Patient) -> Wrong | None:
    """A critic that has no loss stays what it was."""
    value = _value(patient, "value_coef")
    if value is None or value > 0 or patient.kind != "on-policy":
        return None
    return Wrong("notice", f"the value loss weight is {value:g}", "0.5 is usual")


def rubric(patient: Patient) -> Wrong | None:
    """Weights of a rubric are shares of one mark."""
    weights = [float(s.values[-1]) for s in patient.all("reward/component_weight")]
    total = sum(weights)
    if len(weights) < MIN_WEIGHTS or abs(total - 1.0) < ROUNDING:
        return None
    lowest, highest = FAR_OFF_ONE
    return Wrong(
        "notice" if lowest <= total <= highest else "warning",
        f"the {len(weights)} weights of the score add up to {number(total, 3)} instead of 1",
        "divide each weight by their sum",
    )


CHECKS: tuple[Callable[[Patient], Wrong | None], ...] = (
    discount,
    gae_lambda,
    learning_rate,
    target_entropy,
    clip_range,
    entropy_bonus,
    target_kl,
    kl_weight,
    group_size,
    target_network,
    learning_starts,
    replay_buffer,
    warm_up,
    sampling_temperature,
    preference_beta,
    critic_weight,
    rubric,
)
