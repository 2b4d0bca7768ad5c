"""What leads to what: the one table of causes between rules.

A row says that what its rule finds may be why the rules on its right find something too, and how. A
story then begins with the cause (`diagnosis/fold.py`). The relation has no circles: where two things
feed each other, the row says which of them is the beginning. docs/reference/causes.md draws it.

Rules of other people name what they explain in their decorator: `@rule(..., explains=["REW005"])`.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class Cause(NamedTuple):
    """A rule, those whose findings its own may explain, and how."""

    code: str
    effects: tuple[str, ...]
    why: str


def _row(code: str, effects: str, why: str) -> Cause:
    return Cause(code, tuple(effects.split()), why)


MECHANISMS: dict[str, tuple[Cause, ...]] = {
    "Settings and schedules": (
        _row(
            "DATA007",
            "ADV001 CLIP002 DPO001 ENT001 EVAL001 GRAD003 KL003 POL002 POL005 REW005 REW008 REW011"
            " ENT002 VAL002 VAL003 VAL006",
            "a setting that cannot work is in place before the first update",
        ),
        _row(
            "LR001",
            "LR002 KL001 KL002 KL007 POL001 POL003 GRAD001 CLIP001 REW003 EVAL001 VAL001 VAL003 ADV002"
            " REW012 ENT001 SFT002 NUM001",
            "a larger rate immediately makes every step larger",
        ),
        _row(
            "LR002",
            "KL001 KL002 KL003 KL004 POL001 POL002 POL003 POL005 GRAD001 GRAD003 GRAD004 CLIP001"
            " CLIP002 ENT001 ENT002 ENT003 ENT004 VAL001 VAL002 VAL003 VAL006 SFT001 SFT002 SFT006"
            " DPO001 RM001 NUM001 KL007 LEN001 REW003 REW005 REW008 REW011 EVAL001",
            "steps that are far too large destroy the network, and steps of 0 teach it nothing",
        ),
        _row(
            "PRE001",
            "NET004 GRAD003 POL002 KL003 VAL002 REW005 SFT001 SFT006 DPO001 RM001",
            "parameters that no optimiser updates never move",
        ),
        _row(
            "PRE002",
            "NET004 GRAD003 POL002 KL003 VAL002 REW005 SFT001 SFT006 DPO001 RM001",
            "frozen parameters never move",
        ),
        _row(
            "PRE003",
            "NET004 LR002 POL002 KL003 CLIP002 VAL002 REW005 SFT001 SFT006 DPO001 RM001",
            "steps of length 0 teach nothing",
        ),
        _row(
            "PRE004",
            "EVAL001 EVAL002 SFT003 REW005",
            "with dropout or batch statistics in the wrong mode, a different network is measured",
        ),
        _row(
            "PRE005",
            "NET004 NET005 GRAD003 POL002 VAL002 REW005 SFT001 SFT006 DPO001 RM001",
            "parameters that the loss does not reach keep their initial values",
        ),
        _row(
            "PRE006",
            "GRAD001 NET002 NUM001 SFT002",
            "a network that is confidently wrong starts with huge gradients",
        ),
        _row(
            "PRE007",
            "SFT003 SFT005 EVAL001 EVAL002 RM004 DPO002",
            "a model that sees only one batch memorises it",
        ),
        _row(
            "PRE008",
            "EVAL001 EVAL002 EVAL004 SFT003",
            "answers that leak across a batch are missing when it is evaluated differently",
        ),
        _row(
            "DATA005",
            "KL002 VAL001",
            "a resume without its saved state starts from a different point",
        ),
        _row(
            "ENT005", "REW005", "actions stay random, or stop being random before anything succeeds"
        ),
        _row("TEMP001", "ENT003", "the temperature sets how random the samples are"),
        _row("TEMP002", "TEMP001 ENT003 ENT004", "each pulse makes the policy random again"),
        _row(
            "TEMP003",
            "ENT001 ENT002 TEMP001 POL005",
            "a policy sampled at a low temperature repeats itself",
        ),
    ),
    "No signal in the reward": (
        _row(
            "REW004",
            "ADV001 KL003 ENT004 REW003 REW005 REW009 EVAL001 GRAD003 POL002 VAL002 VAL003",
            "if all rewards are equal, the advantage is zero, and so is the gradient",
        ),
        _row(
            "REW009",
            "GRAD003 KL003 ADV001 REW005",
            "a group with equal rewards has no advantage",
        ),
        _row(
            "TEXT001",
            "TEXT002 TEXT003 TEXT006 TEXT008 LEN001 LEN003 LEN005 REW003 REW005 REW009 EVAL001 EVAL002 "
            "GAIN001 GAIN002 GAIN003",
            "garbage holds no answer, and one garbage text is like the next",
        ),
        _row(
            "TEXT002",
            "TEXT003 TEXT006 LEN001 LEN005 REW003 EVAL001 GAIN001 GAIN002 GAIN003",
            "a text that repeats itself never ends and never answers",
        ),
        _row(
            "TEXT004",
            "TEXT003 EVAL002 GAIN002 GAIN003",
            "a copy of the prompt is the same in every sample",
        ),
        _row(
            "TEXT005",
            "TEXT003 TEXT006 EVAL001 EVAL002 GAIN002 GAIN003",
            "a refusal answers nothing",
        ),
        _row(
            "MIS005", "MIS001 MIS002 MIS004 REW003 REW005", "other experts give other probabilities"
        ),
        _row("MIS006", "MIS003", "samples grow old while they wait"),
        _row("LOAD005", "LOAD002 PERF001 PERF006", "all ranks wait for the one that stopped"),
        _row("GAIN001", "LEN001 LEN005 GAIN002 EVAL002", "texts that are paid for length grow"),
        _row(
            "GAIN002", "GAIN003 EVAL001 EVAL002 REW001 REW002", "what is paid is not what is right"
        ),
        _row(
            "LEN001",
            "TEXT006 REW003 REW004 REW009 REW005 REW010 REW011 EVAL001 GRAD003 ADV001",
            "an answer that is cut off cannot be scored",
        ),
        _row(
            "REW014",
            "REW005 REW009",
            "a part of the reward that is always the same teaches nothing",
        ),
        _row(
            "LEN002",
            "REW004 REW005 REW009 EVAL002",
            "a prompt that lost its question has no right answer",
        ),
        _row("LEN004", "REW003 REW004 REW005 AGT001", "a failed rollout counts as a bad answer"),
        _row(
            "LEN006",
            "REW005 REW006",
            "an episode that ends too soon never reaches the reward",
        ),
    ),
    "The reward does not match the goal": (
        _row("REW001", "REW005 REW003", "the reward pays for something other than success"),
        _row(
            "RM003",
            "EVAL001 EVAL002 REW001 LEN005 LEN001 REW003",
            "the policy finds what the reward model overrates",
        ),
        _row(
            "RM005",
            "REW003 EVAL001 EVAL002 REW012 VAL001 VAL004 RM002 RM003 KL002 KL004 KL006 KL007 ENT003"
            " LEN001 LEN005",
            "a different reward model pays for different things, on a different scale",
        ),
        _row(
            "EVAL004",
            "EVAL001 EVAL002",
            "an evaluation in a different environment does not see what was learned",
        ),
        _row(
            "LEN003",
            "ENT001 EVAL002 REW009 GRAD003",
            "short answers that are rewarded all look the same",
        ),
        _row("LEN005", "LEN001 EVAL002", "growing answers hit the length limit"),
        _row("EVAL002", "EVAL001", "what is learned does not carry over, and displaces what did"),
    ),
    "Rewards and returns out of scale": (
        _row(
            "REW012",
            "REW005 VAL001 VAL002 VAL003 VAL004 GRAD001 GRAD002 KL003 ENT004 CLIP002 POL002",
            "a huge value loss takes the shared gradient, and clipping leaves nothing for the policy",
        ),
        _row(
            "REW007", "ADV002 VAL001", "a few extreme rewards dominate advantages and value targets"
        ),
        _row("ADV002", "GRAD001 KL002 POL001", "a few extreme advantages dominate the update"),
    ),
    "Steps too large": (
        _row(
            "KL001",
            "KL002 KL003 KL007 CLIP001 CLIP002 POL002 POL003 ENT001 ENT002 POL005 REW003",
            "a policy that moves too far per update gets stuck where it can no longer move",
        ),
        _row(
            "KL002", "REW003 ENT001 CLIP001 POL003", "one update throws the policy far off course"
        ),
        _row("KL007", "REW003 CLIP001 POL003", "the policy moves too far, and the outcome falls"),
        _row("CLIP001", "KL003 REW005", "clipped samples teach nothing"),
        _row("POL003", "CLIP001 REW003", "extreme ratios are clipped, or dominate the update"),
        _row(
            "POL004",
            "POL003 KL001 KL002 KL007 CLIP001 REW003 REW005",
            "old log-probabilities that do not come from the policy make every ratio wrong",
        ),
        _row(
            "NET004",
            "NET002 NET003 KL001 KL002 POL001 GRAD001 REW003 REW005 SFT001 SFT002 NUM001",
            "an update of a tenth of the weights overwrites them, and one of zero teaches nothing",
        ),
        _row(
            "NET006",
            "GRAD001 POL001 KL002 SFT002 REW003",
            "gradients that Adam did not expect make updates several times too large",
        ),
        _row(
            "NET002",
            "NET005 GRAD003 POL002 REW005 SFT001",
            "dead units have no gradient",
        ),
        _row(
            "NET005", "REW005 SFT001 VAL002", "blocks that the gradient does not reach do not learn"
        ),
        _row("POL001", "REW003 NUM001", "a loss that explodes ends in infinity"),
        _row(
            "GRAD001",
            "NUM001 LR003",
            "a gradient that explodes ends in infinity, or makes a controller shrink the steps",
        ),
        _row("GRAD004", "GRAD001 NUM001", "gradients that grow without end reach infinity"),
    ),
    "Away from the reference": (
        _row(
            "KL004",
            "KL006 KL007 ENT001 ENT003 NUM001 POL001 REW003 LEN001 LEN005",
            "far from the reference, nothing keeps the text sensible or makes it end",
        ),
        _row("KL005", "KL006", "a wrong KL estimate is charged as a penalty"),
        _row("KL006", "KL003 REW005", "the penalty for moving outweighs the reward for it"),
    ),
    "No step at all": (
        _row(
            "GRAD003",
            "KL003 POL002 REW005 DPO001 SFT001 SFT006 RM001",
            "without a gradient no weight moves",
        ),
        _row(
            "POL002",
            "KL003 CLIP002 ENT004 REW005 DATA004 DPO001 SFT001 SFT006 RM001",
            "if the weights do not move, no number changes",
        ),
        _row("ADV001", "GRAD003 KL003", "advantages near zero have no gradient"),
        _row("GRAD002", "KL003 CLIP002 REW005", "clipping cuts every step to almost nothing"),
        _row("KL003", "CLIP002 ENT004 REW005", "a policy that hardly moves learns nothing"),
        _row("CLIP002", "REW005", "updates far inside the clip range are too small to learn from"),
    ),
    "Exploration": (
        _row(
            "ENT001",
            "POL002 POL005 KL003 CLIP002 REW004 REW009 GRAD003",
            "a policy that is certain repeats itself, and its gradient vanishes",
        ),
        _row(
            "ENT002",
            "POL002 POL005 KL003 CLIP002 REW004 REW005",
            "a policy that is certain repeats itself and gets the same reward each time",
        ),
        _row(
            "ENT003", "REW003 VAL001", "a policy that becomes random forgets, and returns scatter"
        ),
        _row("ENT004", "REW005", "a policy that stays random has learned nothing"),
        _row(
            "REW015",
            "REW001 REW003 REW005 REW011 EVAL002",
            "fewer random actions change the return, whatever the policy has learned",
        ),
        _row("POL005", "REW005", "one action for every state solves nothing"),
        _row("CLIP003", "ENT001", "clipping only one side pushes likely tokens up and never down"),
    ),
    "The critic": (
        _row(
            "VAL006",
            "VAL001 REW005 REW003 GRAD001 GRAD004 NUM001",
            "the critic learns from targets made of its own overestimates",
        ),
        _row(
            "VAL002",
            "VAL003 VAL004 ADV001 REW005",
            "a critic that does not learn gives no useful baseline",
        ),
        _row(
            "VAL004",
            "VAL003 ADV001 REW005",
            "values at the wrong level bias the advantages",
        ),
        _row(
            "VAL007",
            "VAL001 VAL003 VAL004 VAL005 ADV002",
            "a critic fitted to one scale of returns is wrong at another",
        ),
        _row(
            "VAL001",
            "ADV002 REW003 VAL003 GRAD001 GRAD004 NUM001",
            "the critic's error enters every advantage and the shared gradient",
        ),
    ),
    "Sampler and trainer disagree": (
        _row(
            "MIS003",
            "MIS001 MIS002 CLIP001 KL001",
            "samples from old weights are far from the current policy",
        ),
        _row(
            "MIS001",
            "GRAD004 ENT003 REW003 MIS002 POL003 POL004 CLIP001 REW005 EVAL001 EVAL002",
            "probabilities from another engine make every ratio wrong",
        ),
        _row("MIS002", "GRAD001 GRAD004", "a few samples with huge weights dominate the gradient"),
    ),
    "Pairs and labels": (
        _row(
            "DPO004",
            "DPO003 EVAL001 EVAL002 DPO002",
            "swapped preferences are learned the wrong way round",
        ),
        _row("DPO001", "DPO002", "pairs that cannot be told apart can only be memorised"),
        _row("DPO002", "EVAL001 SFT003 DPO003", "memorised pairs are pushed further apart"),
        _row("DPO003", "EVAL001 EVAL002", "the model stops saying what has become unlikely"),
        _row("RM002", "RM001 EVAL001", "without a margin nothing can be ranked"),
        _row("RM001", "RM004", "a model that cannot rank can only memorise pairs"),
        _row("RM004", "SFT003 EVAL001", "memorised pairs do not generalise"),
        _row(
            "SFT002",
            "SFT001 EVAL001 SFT003 GRAD001 GRAD004 NUM001",
            "a diverging loss takes everything else with it",
        ),
        _row("SFT001", "SFT003 EVAL001", "wrong labels teach answers that nobody asks for"),
        _row(
            "SFT007",
            "SFT001 SFT002 SFT003 EVAL001 POL001 NUM001",
            "with its sign turned, the loss makes the right answers unlikely",
        ),
        _row("SFT003", "EVAL001", "memorised texts do not generalise"),
        _row("SFT005", "SFT003 EVAL001", "memorised texts do not generalise"),
        _row("SFT006", "SFT001", "a model that guesses has learned nothing"),
        _row(
            "EVAL005",
            "DPO002 RM001 RM004 EVAL001 SFT003",
            "labels that contradict each other cannot both be learned",
        ),
        _row(
            "SFT004",
            "SFT001 GRAD003 POL002",
            "if every label is masked, loss and gradient are zero",
        ),
    ),
    "Not-a-number values": (
        _row(
            "NET003",
            "NUM001 NUM002 KL003 POL002 REW003 REW005 SFT002",
            "a NaN in one module spreads to every weight with the next update",
        ),
        _row(
            "NUM001",
            "NUM002 NUM003 KL003 CLIP002 POL002 POL005 ENT002 VAL003 REW003 REW005 END003",
            "one NaN weight makes every later number NaN",
        ),
        _row("NUM002", "POL002 SFT001 SFT004", "a NaN shown as 0 looks like a loss of 0"),
        _row("NUM003", "DATA006", "an impossible value is often a different metric"),
    ),
    "Turns, speed and memory": (
        _row("AGT001", "LEN001 PERF003 REW005", "more turns fill the context"),
        _row("SYS003", "SYS001 PERF001 END001", "a leak fills the memory, and swapping is slow"),
        _row("SYS001", "END001", "memory that is nearly full runs out"),
        _row("PERF003", "PERF001", "the step waits for the part that grew"),
        _row("DATA008", "PERF001 PERF003", "writing thousands of numbers takes time in every step"),
        _row("DATA003", "DATA004", "a broken axis tears series apart"),
    ),
    "How the outcome behaves": (
        _row(
            "REW003",
            "REW005 REW008 EVAL001 LEN006",
            "an outcome that crashed no longer rises or settles, and episodes end differently",
        ),
        _row(
            "REW011",
            "REW005 REW006 REW008 EVAL001 LEN006",
            "an outcome that only gets worse never rises",
        ),
        _row("REW005", "REW006", "an outcome that never rises does not follow the loss"),
    ),
}

# What trouble with policy, critic or optimiser leads to in general, if it came first.
MECHANICAL = frozenset({"policy", "value", "optimisation", "preference", "reward model"})
OUTCOMES = frozenset({"REW003", "REW005", "REW008", "REW011", "EVAL001"})
# Whatever states how the outcome does, in any kind of training: such stories are told first.
STATES_THE_OUTCOME = OUTCOMES | frozenset(
    "EVAL002 REW001 SFT001 SFT002 SFT003 DPO001 DPO002 RM001 RM004".split()
)
# Where nothing moves, the outcome cannot fall: it only never rises.
STANDING_STILL = frozenset(
    "KL003 CLIP002 POL002 GRAD002 GRAD003 ENT004 ADV001 SFT001 DPO001 RM001".split()
)
NEVER_RISES = "REW005"

# By definition these are only there after a part of the run that was otherwise ...
LATER = frozenset({"LR001", "DATA005", "RM005", "REW003", "RM002", "EVAL001"})
# ... and these from its first point on, so that nothing of the above can have led to them.
FROM_THE_START = frozenset(
    "DATA007 POL004 DPO004 REW011 ENT004 PRE001 PRE002 PRE003 PRE005 PRE006 PRE007 PRE008".split()
)
# These are judged over the whole run, or all but its first rows: their first step says little about
# when the trouble began.
OVER_THE_WHOLE_RUN = frozenset(
    "REW005 REW008 REW011 GRAD003 KL003 CLIP002 ENT004 VAL002 SFT001 DPO001 RM001".split()
)


def spoils_the_outcome(code: str, area: str, outcome: str) -> bool:
    """Whether trouble in this area of the report card leads to such an outcome in general.

    >>> spoils_the_outcome("KL001", "policy", "REW003"), spoils_the_outcome("KL003", "policy", "REW003")
    (True, False)
    """
    still = code in STANDING_STILL and outcome != NEVER_RISES
    return area in MECHANICAL and outcome in OUTCOMES and not still


@cache
def effects_of(code: str) -> tuple[str, ...]:
    """The rules whose findings may be consequences of what this one finds.

    >>> effects_of("NUM003")
    ('DATA006',)
    """
    rows = (row for rows in MECHANISMS.values() for row in rows)
    return tuple(effect for row in rows if row.code == code for effect in row.effects)
