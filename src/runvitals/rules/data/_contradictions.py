"""Settings that contradict each other or cannot be intended: a row for each."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from runvitals.model import Severity
from runvitals.model.formatting import number
from runvitals.rules.data import as_number, raw_number
from runvitals.rules.patient import Patient

# Without an actor the target network may be copied as a whole, now and then.
COPIED = ("DQN", "DDQN", "QRDQN", "C51", "RAINBOW", "IQN", "FQF", "PQN", "QDAGGER")
SCHEDULED = ("sft", "preference", "reward-model", "llm-rl")
TINY_TARGET_KL = 1e-4  # a hundredth of the smallest usual one (judgement)
LATE_START = 0.5  # of the run without an update (judgement)
MIN_BATCHES = 4  # that a replay buffer holds: with fewer, all batches are alike (judgement)
MIN_WEIGHTS = 3  # of a rubric; two may be a score and a penalty
ROUNDING = 0.05  # off 1 in all, where each weight is rounded by itself


class Wrong(NamedTuple):
    """A setting that cannot be intended. `fatal`: it holds even if the outcome looks good."""

    severity: Severity
    message: str
    advice: str
    fatal: bool = False


# When a setting is wrong, in the words of the table.
_WHEN: dict[str, Callable[[float], bool]] = {
    "outside 0 to 1": lambda value: not 0 <= value <= 1,
    "negative": lambda value: value < 0,
    "zero": lambda value: value == 0,
    "not positive": lambda value: value <= 0,
    "nearly zero": lambda value: 0 < value <= TINY_TARGET_KL,
    "at least 1": lambda value: value >= 1,
    "below 2": lambda value: value < 2,
    "two": lambda value: value == 2,
}
# A setting and when it is wrong; kinds of training and words of algorithms it is checked in; how grave
# that is; what is said of the value, {}; advice.
_TABLE = """
gamma | outside 0 to 1 | on-policy off-policy llm-rl | fatal critical | gamma is {}, outside 0 to 1
  | use 0.9 to 0.999
gamma | zero | on-policy off-policy | warning | gamma is {}: only the next reward counts
  | use 0.9 to 0.999
gae_lambda | outside 0 to 1 | on-policy llm-rl | fatal critical | gae_lambda is {}, outside 0 to 1
  | use 0.9 to 1
clip_range | negative | on-policy llm-rl | fatal critical | the clip range is {} | use 0.1 to 0.3
clip_range | zero | on-policy llm-rl PPO | warning | the clip range is {}: every update is clipped
  | use 0.1 to 0.3
entropy_coef | negative | on-policy llm-rl off-policy | warning
  | the entropy bonus is {}: it penalises exploration | use 0 to 0.02, and check the sign in the loss
target_kl | nearly zero | on-policy llm-rl | warning | target_kl is {}: it stops every update
  | use 0.01 to 0.05
kl_coef | at least 1 | llm-rl | fatal warning
  | the KL penalty weight is {}: it ties the policy to its reference | use 0 to 0.1
group_size | below 2 | GRPO DAPO GSPO RLOO | critical
  | the group size is {}: a response has nothing to be compared with
  | sample 4 to 16 responses per prompt
group_size | two | GRPO DAPO GSPO | notice | the group size is {}: advantages are coarse
  | 4 to 16 is usual
temperature | not positive | GRPO DAPO GSPO RLOO | warning
  | rollouts are sampled at temperature {}: all responses to a prompt are the same | use 0.7 to 1.0
tau | not positive | off-policy | critical | tau is {}: the target network never moves | use 0.005
warmup_ratio | at least 1 | sft preference reward-model llm-rl | warning
  | warmup_ratio is {}: warm-up takes the whole run | use 0.03 to 0.1
preference_beta | not positive | preference | critical | beta is {}: pairs teach nothing
  | use 0.01 to 0.5
"""
_ROWS = [line.split(" | ") for line in _TABLE.strip().replace("\n  ", " ").splitlines()]


def contradictions(patient: Patient) -> Iterator[Wrong]:
    """All settings of a run that cannot be intended."""
    for key, when, where, grave, message, advice in _ROWS:
        value = _value(patient, key)
        kinds = [word for word in where.split() if word.islower()]
        algorithms = [word for word in where.split() if not word.islower()]
        named = not algorithms or any(one in patient.algorithm for one in algorithms)
        if value is None or not named or (kinds and patient.kind not in kinds):
            continue
        if _WHEN[when](value):
            severity = cast("Severity", grave.removeprefix("fatal "))
            fatal = grave.startswith("fatal ")
            yield Wrong(severity, message.format(f"{value:g}"), advice, fatal)
    for look in (_learning_rate, _target_entropy, _target_network, _plan, _replay_buffer, _rubric):
        yield from look(patient)


def _value(patient: Patient, key: str) -> float | None:
    return as_number(patient.setting(key))


def _learning_rate(patient: Patient) -> Iterator[Wrong]:
    """A negative rate learns the opposite. LR002 covers 0 and absurd values."""
    rate = _value(patient, "learning_rate")
    logged = patient.find("optim/learning_rate", "policy/learning_rate")
    if rate is not None and rate < 0 and (logged is None or float(logged.values.max()) <= 0):
        yield Wrong("critical", f"the learning rate is {rate:g}", "use a positive value", True)


def _target_entropy(patient: Patient) -> Iterator[Wrong]:
    """Bounded continuous actions have at most 0.7 of entropy per dimension."""
    value = _value(patient, "target_entropy")
    if value is not None and value > 0 and patient.continuous and "SAC" in patient.algorithm:
        yield Wrong(
            "warning",
            f"the target entropy is {value:g}: continuous actions cannot reach it",
            "use minus the number of action dimensions",
            True,
        )


def _target_network(patient: Patient) -> Iterator[Wrong]:
    """The target network must move, and more slowly than the network that learns."""
    if patient.kind != "off-policy":
        return
    tau, total = _value(patient, "tau"), _value(patient, "total_steps")
    every = raw_number(
        patient.run, "target_update_interval", "target_network_frequency", "target_update_freq"
    )
    if tau is not None and tau >= 1 and not patient.algorithm.endswith(COPIED):
        yield Wrong(
            "warning",
            f"tau is {tau:g}: the target network copies the network at every step",
            "use 0.005",
        )
    elif every is not None and total is not None and every >= total:
        yield Wrong(
            "warning",
            f"the target network is copied every {every:,.0f} steps in a run of {total:,.0f}: never",
            "copy it at least a hundred times per run",
        )
    elif every is not None and every <= 1 and (tau is None or tau >= 1):
        yield Wrong(
            "warning",
            "the target network is copied at every step",
            "copy every 100 to 10,000 steps",
        )


def _plan(patient: Patient) -> Iterator[Wrong]:
    """Updates have to begin, and the learning rate to arrive, before the run is over."""
    total = _value(patient, "total_steps")
    if total is None or total <= 0:
        return
    start, steps = _value(patient, "learning_starts"), _value(patient, "warmup_steps")
    if start is not None and patient.kind == "off-policy" and start >= LATE_START * total:
        yield Wrong(
            "critical" if start >= total else "warning",
            f"learning starts at step {start:,.0f} of {total:,.0f}",
            "start after 1 to 5% of the run",
        )
    if steps is not None and patient.kind in SCHEDULED and steps > total:
        yield Wrong(
            "warning",
            f"warm-up takes {steps:,.0f} steps, but the run has only {total:,.0f}",
            "use 3 to 10% of the run",
        )


def _replay_buffer(patient: Patient) -> Iterator[Wrong]:
    """The replay buffer must hold more than one batch."""
    size, batch = _value(patient, "buffer_size"), _value(patient, "batch_size")
    if size is None or batch is None or patient.kind != "off-policy":
        return
    if size < MIN_BATCHES * batch:
        yield Wrong(
            "warning",
            f"the replay buffer holds {size:g} transitions, and a batch takes {batch:g}",
            "use a buffer of at least 10,000 transitions",
        )


def _rubric(patient: Patient) -> Iterator[Wrong]:
    """Weights of a rubric are shares of one mark."""
    weights = [float(s.values[-1]) for s in patient.all("reward/component_weight")]
    total = sum(weights)
    if len(weights) >= MIN_WEIGHTS and abs(total - 1.0) >= ROUNDING:
        yield Wrong(
            "warning",
            f"the {len(weights)} weights of the score add up to {number(total, 3)} instead of 1",
            "divide each weight by their sum",
        )
