"""A logged name taken apart into words, and the words sorted by what they do."""

import re
from dataclasses import dataclass
from functools import lru_cache

from runvitals.catalog.resolving.names import spellings, tokens, words

# Spellings beyond those that the names of tools need.
SPELLINGS = spellings("""
train: training trn tr trainer trainset;
eval: evaluation evaluations evaluator validation valid val dev test testing
  heldout holdout valset testset;
mean: avg average averaged avrg averages ave; smooth: smoothed ema ewma moving rolling;
success: succes successes succeeded successful; correct: correctness; kl: kld kldiv kls;
episode reward mean: eprewmean epretmean; episode length mean: eplenmean; num update: nupdates;
cross entropy: xent crossentropy ce xentropy bce; loss: losses; return: returns;
ms: millis milliseconds msec millisecond; percent: pct percentage %; gb: gib gigabytes;
mb: mib megabytes; hour: hours hrs h; minute: minutes mins; entropy: entropies; weight: weights;
group: groups; request: requests; action: actions; temperature: temp temperatures;
generation: generating; rollout: rollouts; checkpoint: ckpt checkpointing save saving;
optimizer: optimiser optim opt; truncated: truncate truncation; exploration: explore exploring;
timestep: timesteps; rejected: reject; total: cumulative cum cumul accumulated; frame: frames;
epoch: epochs; sequence: sequences seq seqs seqlen; observation: obs observations;
std: stds deviation; backward: bwd; forward: fwd; baseline: baselines;
param: params parameter parameters; importance sampling: is; prob: probs probability;
perplexity: ppl perplexities; throughput: thpt; win: wins; example: examples; num: nb number;
distance: dist; error: err errors; accuracy: precision_at_1; utilization: usage; difference: diff;
iteration: itr; point: points; reconstruction: recon; negative: neg; positive: pos;
preference: pref; bit: bits; discounted: disc; goal: goals; completed: complete;
trajectory: traj trajectories trajs; prediction: pred preds predicted;
value prediction: vpred vpreds; tflops: tflop; divergence: div;
time: timing timings timer timers times timeperf duration; l1: mae_l1; response: completion outputs
""")
# Beside these, `is` means importance sampling.
_SAMPLED = words("ratio ratios weight weights ess rollout")
_JOINED = (("log", "prob", "logprob"), ("log", "policy", "logprob"), ("held", "out", "eval"))
HELD_OUT = "eval"
_SPLITS = words("eval train")
_NOT_EXPLORING, _EXPLORING = words("greedy deterministic"), words("epsilon eps rate prob")
# What a word says about how points were made into one number.
STATISTICS = {
    "mean": "mean",
    "smooth": "mean",
    "std": "std",
    "variance": "var",
    "min": "min",
    "max": "max",
    "median": "median",
    "p90": "p90",
}
UNITS = words("s ms percent gb mb hour minute")
_OF_TIME = words("s ms hour minute")
AXES = words("step iteration frame epoch time t")
# Words that say where or how a number was logged and change nothing about what it is.
HARMLESS = words(
    "train metrics metric charts default info stats stat misc diagnostics main learner learners "
    "scalars scalar summary the of in to at is current latest last model agent online global local "
    "log logs monitor minibatch mini over across and each history my custom debugger debug overall "
    "sim profile pure "
    "ppo grpo a2c a3c sac td3 ddpg dqn trpo dpo kto orpo simpo rloo rlhf rl reinforce vpg mappo "
    "standard performance perf runner runners worker workers objective smooth mean"
)
_TRAILING = words("info scalar")
_WRITTEN_ON = words("step epoch")
# One of several that learn side by side: a segment such as `agent_0` says whose number it is.
_WHOSE = words("agent player pid worker process learner seed")
_MEASURED = words("reward return length success score loss accuracy")
_WINDOWS = frozenset("5 10 20 25 30 50 100 200 250 500 1000".split())
_WINDOW = re.compile(r"(?:last|past|avg|average|mean|ma|rolling)?(\d+)(?:ep|eps|episodes?)?")
_INDEXED = re.compile(r"([a-z]{2,}|q)(\d)")
_SAYS_HELD_OUT = re.compile(r"eval|val(?!id)|validation|test|dev|held|hold|greedy|deterministic")
_WRITTEN_AS_ONE = re.compile(
    r"(train|val|valid|test|eval|dev)(loss|losses|acc|accuracy|reward|rewards|score|return|error|err|f1)"
)
_SEGMENTS = re.compile(r"[/|:]+| - |(?<=[A-Za-z])\.(?=[A-Za-z])")
_MAX_WORDS = 12  # a name of more is a sentence, and those are not read


@dataclass(frozen=True, slots=True)
class Parsed:
    """A name in unified words: `tail` of its last segment, `head` of all before it."""

    name: str
    head: tuple[str, ...]
    tail: tuple[str, ...]
    held_out: bool = False
    window: str | None = None
    unit: str | None = None
    index: str | None = None
    axis: str | None = None
    whose: tuple[str, str] | None = None  # one of several that learn: `("agent", "0")`
    doubtful: bool = False  # held out only by the word `valid`, which may be that of actions

    @property
    def words(self) -> frozenset[str]:
        """The words of head and tail."""
        return frozenset(self.head) | frozenset(self.tail)


def unified(text: str) -> list[str]:
    """The words of a text in one spelling each.

    >>> unified("trnLossAvg")
    ['train', 'loss', 'mean']
    >>> unified("is_success"), unified("is_ratio")
    (['is', 'success'], ['importance', 'sampling', 'ratio'])
    """
    said = [part for word in tokens(text) for part in _taken_apart(word)]
    found = [
        one
        for word in said
        for one in (
            (word,) if word == "is" and not _SAMPLED & set(said) else SPELLINGS.get(word, (word,))
        )
    ]
    if not _EXPLORING & set(found):  # a policy that does not explore is being tested
        found = [HELD_OUT if word in _NOT_EXPLORING else word for word in found]
    for first, second, joined in _JOINED:
        for place in range(len(found) - 1, 0, -1):
            if (found[place - 1], found[place]) == (first, second):
                found[place - 1 : place + 1] = [joined]
    return found


def spoken(name: str) -> set[str]:
    """The words of a name as far as it takes to see whether it may say anything."""
    parts = (part for word in tokens(name) for part in _taken_apart(word))
    return {one for part in parts for one in (part, *tokens(part.rstrip("0123456789")))}


def _taken_apart(word: str) -> tuple[str, ...]:
    """Splits words written together, such as `valloss` and `trainacc`.

    >>> _taken_apart("valloss"), _taken_apart("value")
    (('val', 'loss'), ('value',))
    """
    found = _WRITTEN_AS_ONE.fullmatch(word)
    return (word,) if found is None else (found[1], *tokens(found[2]))


@lru_cache(maxsize=65_536)
def parse(name: str) -> Parsed | None:
    """The words of a name and what they do; None for a name without words or with too many.

    >>> parse("per_agent/agent_0/rewards").whose, parse("per_agent/agent_0/rewards").head
    (('agent', '0'), ())
    >>> parse("Avg_Final_Score_100").window, parse("Val RMSE").held_out, parse("rewards/fmt/std").tail
    ('100', True, ('fmt', 'std'))
    """
    segments = [unified(part) for part in _SEGMENTS.split(name)]
    segments = [part for part in segments if part]
    # A last segment that only says which statistic (`reward/mean`) belongs to the one before it.
    while len(segments) > 1 and all(word in STATISTICS for word in segments[-1]):
        segments[-2:] = [segments[-2] + segments[-1]]
    # And so does one that only says on which data: `Loss/train`, `Reward/test`.
    if len(segments) > 1 and set(segments[-1]) <= _SPLITS:
        segments[-2:] = [segments[-2] + segments[-1]]
    if not segments or sum(map(len, segments)) > _MAX_WORDS:
        return None
    axis, whose = None, _whose(segments)
    while len(segments) > 1 and set(segments[-1]) <= _TRAILING:
        segments.pop()
    if len(segments) > 1 and set(segments[-1]) <= AXES and set(segments[-2]) & _MEASURED:
        axis = segments.pop()[0]  # `rewards/step` of rl_games: the reward, over steps
    elif len(segments[-1]) > 1 and set(segments[-1]) & _MEASURED:
        axis = _within(segments[-1])
    head = [word for part in segments[:-1] for word in part]
    held_out = HELD_OUT in head or HELD_OUT in segments[-1]
    tail, window, unit, index = _tail([word for word in segments[-1] if word != HELD_OUT])
    return Parsed(
        name,
        tuple(word for word in head if word != HELD_OUT),
        tuple(tail),
        held_out,
        window,
        unit,
        index,
        axis,
        whose,
        held_out and not _SAYS_HELD_OUT.search(name.lower()),
    )


def _whose(segments: list[list[str]]) -> tuple[str, str] | None:
    """Removes the segment that names an owner (an agent, a task), and one that only announces it."""
    for place, part in enumerate(segments[:-1]):
        if len(part) == 2 and part[0] in _WHOSE and part[1].isdecimal():
            segments[:-1] = [
                other
                for at, other in enumerate(segments[:-1])
                if at != place and set(other) - {"per"} not in ({part[0]}, {f"{part[0]}s"})
            ]
            return part[0], part[1]
    return None


def _within(part: list[str]) -> str | None:
    """Removes and returns the axis: Lightning's `train_loss_epoch` is the loss over epochs."""
    for place in (-1, 0):
        if part[place] in _WRITTEN_ON:
            return part.pop(place)
    return None


def _tail(part: list[str]) -> tuple[list[str], str | None, str | None, str | None]:
    """The words of the last segment without its window, its unit and its number."""
    window = unit = index = None
    kept: list[str] = []
    for place, word in enumerate(part):
        averaged = _WINDOW.fullmatch(word)
        indexed = _INDEXED.fullmatch(word)
        if averaged and averaged[1] in _WINDOWS and (len(part) > 1 or not word.isdecimal()):
            window = averaged[1]
            kept += ["mean"] if len(part) == 1 else []
        elif averaged and len(part) > 1 and len(word) == 1:
            index = word
        elif word in UNITS and place and part[place - 1] != "per":
            unit = word
            if word in _OF_TIME and "time" not in part:
                kept.append("time")
        elif indexed:
            kept += unified(indexed[1])
            index = indexed[2]
        else:
            kept.append(word)
    return kept, window, unit, index
