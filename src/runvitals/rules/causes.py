"""What leads to what: the one table of causes between rules.

A row says that what its rule finds may be why the rules on its right find something too, and how. A
story then begins with the cause (`diagnosis/fold.py`). The relation has no circles: where two things
feed each other, the row says which of them is the beginning. docs/reference/causes.md draws it.

Rules of other people name what they explain in their decorator: `@rule(..., explains=["REW005"])`.
"""

from functools import cache
from typing import NamedTuple


class Cause(NamedTuple):
    """A rule, those whose findings its own may explain, and how."""

    code: str
    effects: tuple[str, ...]
    why: str


# Below a heading, each rule with what its findings do, and the rules that they may explain.
TABLE = """
## Settings and schedules
DATA007: a setting that cannot work is in place before the first update
  ADV001 CLIP002 DPO001 ENT001 EVAL001 GRAD003 KL003 POL002 POL005 REW005 REW008 REW011 ENT002
  VAL002 VAL003 VAL006
LR001: a larger rate immediately makes every step larger
  LR002 KL001 KL002 KL007 POL001 POL003 GRAD001 CLIP001 REW003 EVAL001 VAL001 VAL003 ADV002 REW012
  ENT001 SFT002 NUM001
LR002: steps that are far too large destroy the network, and steps of 0 teach it nothing
  KL001 KL002 KL003 KL004 POL001 POL002 POL003 POL005 GRAD001 GRAD003 GRAD004 CLIP001 CLIP002 ENT001
  ENT002 ENT003 ENT004 VAL001 VAL002 VAL003 VAL006 SFT001 SFT002 SFT006 DPO001 RM001 NUM001 KL007
  LEN001 REW003 REW005 REW008 REW011 EVAL001
PRE001: parameters that no optimiser updates never move
  NET004 GRAD003 POL002 KL003 VAL002 REW005 SFT001 SFT006 DPO001 RM001
PRE002: frozen parameters never move
  NET004 GRAD003 POL002 KL003 VAL002 REW005 SFT001 SFT006 DPO001 RM001
PRE003: steps of length 0 teach nothing
  NET004 LR002 POL002 KL003 CLIP002 VAL002 REW005 SFT001 SFT006 DPO001 RM001
PRE004: with dropout or batch statistics in the wrong mode, a different network is measured
  EVAL001 EVAL002 SFT003 REW005
PRE005: parameters that the loss does not reach keep their initial values
  NET004 NET005 GRAD003 POL002 VAL002 REW005 SFT001 SFT006 DPO001 RM001
PRE006: a network that is confidently wrong starts with huge gradients
  GRAD001 NET002 NUM001 SFT002
PRE007: a model that sees only one batch memorises it
  SFT003 SFT005 EVAL001 EVAL002 RM004 DPO002
PRE008: answers that leak across a batch are missing when it is evaluated differently
  EVAL001 EVAL002 EVAL004 SFT003
DATA005: a resume without its saved state starts from a different point
  KL002 VAL001
ENT005: actions stay random, or stop being random before anything succeeds
  REW005
TEMP001: the temperature sets how random the samples are
  ENT003
TEMP002: each pulse makes the policy random again
  TEMP001 ENT003 ENT004
TEMP003: a policy sampled at a low temperature repeats itself
  ENT001 ENT002 TEMP001 POL005

## No signal in the reward
REW004: if all rewards are equal, the advantage is zero, and so is the gradient
  ADV001 KL003 ENT004 REW003 REW005 REW009 EVAL001 GRAD003 POL002 VAL002 VAL003
REW009: a group with equal rewards has no advantage
  GRAD003 KL003 ADV001 REW005
TEXT001: garbage holds no answer, and one garbage text is like the next
  TEXT002 TEXT003 TEXT006 TEXT008 LEN001 LEN003 LEN005 REW003 REW005 REW009 EVAL001 EVAL002 GAIN001
  GAIN002 GAIN003
TEXT002: a text that repeats itself never ends and never answers
  TEXT003 TEXT006 LEN001 LEN005 REW003 EVAL001 GAIN001 GAIN002 GAIN003
TEXT004: a copy of the prompt is the same in every sample
  TEXT003 EVAL002 GAIN002 GAIN003
TEXT005: a refusal answers nothing
  TEXT003 TEXT006 EVAL001 EVAL002 GAIN002 GAIN003
MIS005: other experts give other probabilities
  MIS001 MIS002 MIS004 REW003 REW005
MIS006: samples grow old while they wait
  MIS003
LOAD005: all ranks wait for the one that stopped
  LOAD002 PERF001 PERF006
GAIN001: texts that are paid for length grow
  LEN001 LEN005 GAIN002 EVAL002
GAIN002: what is paid is not what is right
  GAIN003 EVAL001 EVAL002 REW001 REW002
LEN001: an answer that is cut off cannot be scored
  TEXT006 REW003 REW004 REW009 REW005 REW010 REW011 EVAL001 GRAD003 ADV001
REW014: a part of the reward that is always the same teaches nothing
  REW005 REW009
LEN002: a prompt that lost its question has no right answer
  REW004 REW005 REW009 EVAL002
LEN004: a failed rollout counts as a bad answer
  REW003 REW004 REW005 AGT001
LEN006: an episode that ends too soon never reaches the reward
  REW005 REW006

## The reward does not match the goal
REW001: the reward pays for something other than success
  REW005 REW003
RM003: the policy finds what the reward model overrates
  EVAL001 EVAL002 REW001 LEN005 LEN001 REW003
RM005: a different reward model pays for different things, on a different scale
  REW003 EVAL001 EVAL002 REW012 VAL001 VAL004 RM002 RM003 KL002 KL004 KL006 KL007 ENT003 LEN001
  LEN005
EVAL004: an evaluation in a different environment does not see what was learned
  EVAL001 EVAL002
LEN003: short answers that are rewarded all look the same
  ENT001 EVAL002 REW009 GRAD003
LEN005: growing answers hit the length limit
  LEN001 EVAL002
EVAL002: what is learned does not carry over, and displaces what did
  EVAL001

## Rewards and returns out of scale
REW012: a huge value loss takes the shared gradient, and clipping leaves nothing for the policy
  REW005 VAL001 VAL002 VAL003 VAL004 GRAD001 GRAD002 KL003 ENT004 CLIP002 POL002
REW007: a few extreme rewards dominate advantages and value targets
  ADV002 VAL001
ADV002: a few extreme advantages dominate the update
  GRAD001 KL002 POL001

## Steps too large
KL001: a policy that moves too far per update gets stuck where it can no longer move
  KL002 KL003 KL007 CLIP001 CLIP002 POL002 POL003 ENT001 ENT002 POL005 REW003
KL002: one update throws the policy far off course
  REW003 ENT001 CLIP001 POL003
KL007: the policy moves too far, and the outcome falls
  REW003 CLIP001 POL003
CLIP001: clipped samples teach nothing
  KL003 REW005
POL003: extreme ratios are clipped, or dominate the update
  CLIP001 REW003
POL004: old log-probabilities that do not come from the policy make every ratio wrong
  POL003 KL001 KL002 KL007 CLIP001 REW003 REW005
NET004: an update of a tenth of the weights overwrites them, and one of zero teaches nothing
  NET002 NET003 KL001 KL002 POL001 GRAD001 REW003 REW005 SFT001 SFT002 NUM001
NET006: gradients that Adam did not expect make updates several times too large
  GRAD001 POL001 KL002 SFT002 REW003
NET002: dead units have no gradient
  NET005 GRAD003 POL002 REW005 SFT001
NET005: blocks that the gradient does not reach do not learn
  REW005 SFT001 VAL002
POL001: a loss that explodes ends in infinity
  REW003 NUM001
GRAD001: a gradient that explodes ends in infinity, or makes a controller shrink the steps
  NUM001 LR003
GRAD004: gradients that grow without end reach infinity
  GRAD001 NUM001

## Away from the reference
KL004: far from the reference, nothing keeps the text sensible or makes it end
  KL006 KL007 ENT001 ENT003 NUM001 POL001 REW003 LEN001 LEN005
KL005: a wrong KL estimate is charged as a penalty
  KL006
KL006: the penalty for moving outweighs the reward for it
  KL003 REW005

## No step at all
GRAD003: without a gradient no weight moves
  KL003 POL002 REW005 DPO001 SFT001 SFT006 RM001
POL002: if the weights do not move, no number changes
  KL003 CLIP002 ENT004 REW005 DATA004 DPO001 SFT001 SFT006 RM001
ADV001: advantages near zero have no gradient
  GRAD003 KL003
GRAD002: clipping cuts every step to almost nothing
  KL003 CLIP002 REW005
KL003: a policy that hardly moves learns nothing
  CLIP002 ENT004 REW005
CLIP002: updates far inside the clip range are too small to learn from
  REW005

## Exploration
ENT001: a policy that is certain repeats itself, and its gradient vanishes
  POL002 POL005 KL003 CLIP002 REW004 REW009 GRAD003
ENT002: a policy that is certain repeats itself and gets the same reward each time
  POL002 POL005 KL003 CLIP002 REW004 REW005
ENT003: a policy that becomes random forgets, and returns scatter
  REW003 VAL001
ENT004: a policy that stays random has learned nothing
  REW005
REW015: fewer random actions change the return, whatever the policy has learned
  REW001 REW003 REW005 REW011 EVAL002
POL005: one action for every state solves nothing
  REW005
CLIP003: clipping only one side pushes likely tokens up and never down
  ENT001

## The critic
VAL006: the critic learns from targets made of its own overestimates
  VAL001 REW005 REW003 GRAD001 GRAD004 NUM001
VAL002: a critic that does not learn gives no useful baseline
  VAL003 VAL004 ADV001 REW005
VAL004: values at the wrong level bias the advantages
  VAL003 ADV001 REW005
VAL007: a critic fitted to one scale of returns is wrong at another
  VAL001 VAL003 VAL004 VAL005 ADV002
VAL001: the critic's error enters every advantage and the shared gradient
  ADV002 REW003 VAL003 GRAD001 GRAD004 NUM001

## Sampler and trainer disagree
MIS003: samples from old weights are far from the current policy
  MIS001 MIS002 CLIP001 KL001
MIS001: probabilities from another engine make every ratio wrong
  GRAD004 ENT003 REW003 MIS002 POL003 POL004 CLIP001 REW005 EVAL001 EVAL002
MIS002: a few samples with huge weights dominate the gradient
  GRAD001 GRAD004

## Pairs and labels
DPO004: swapped preferences are learned the wrong way round
  DPO003 EVAL001 EVAL002 DPO002
DPO001: pairs that cannot be told apart can only be memorised
  DPO002
DPO002: memorised pairs are pushed further apart
  EVAL001 SFT003 DPO003
DPO003: the model stops saying what has become unlikely
  EVAL001 EVAL002
RM002: without a margin nothing can be ranked
  RM001 EVAL001
RM001: a model that cannot rank can only memorise pairs
  RM004
RM004: memorised pairs do not generalise
  SFT003 EVAL001
SFT002: a diverging loss takes everything else with it
  SFT001 EVAL001 SFT003 GRAD001 GRAD004 NUM001
SFT001: wrong labels teach answers that nobody asks for
  SFT003 EVAL001
SFT007: with its sign turned, the loss makes the right answers unlikely
  SFT001 SFT002 SFT003 EVAL001 POL001 NUM001
SFT003: memorised texts do not generalise
  EVAL001
SFT005: memorised texts do not generalise
  SFT003 EVAL001
SFT006: a model that guesses has learned nothing
  SFT001
EVAL005: labels that contradict each other cannot both be learned
  DPO002 RM001 RM004 EVAL001 SFT003
SFT004: if every label is masked, loss and gradient are zero
  SFT001 GRAD003 POL002

## Not-a-number values
NET003: a NaN in one module spreads to every weight with the next update
  NUM001 NUM002 KL003 POL002 REW003 REW005 SFT002
NUM001: one NaN weight makes every later number NaN
  NUM002 NUM003 KL003 CLIP002 POL002 POL005 ENT002 VAL003 REW003 REW005 END003
NUM002: a NaN shown as 0 looks like a loss of 0
  POL002 SFT001 SFT004
NUM003: an impossible value is often a different metric
  DATA006

## Turns, speed and memory
AGT001: more turns fill the context
  LEN001 PERF003 REW005
SYS003: a leak fills the memory, and swapping is slow
  SYS001 PERF001 END001
SYS001: memory that is nearly full runs out
  END001
PERF003: the step waits for the part that grew
  PERF001
DATA008: writing thousands of numbers takes time in every step
  PERF001 PERF003
DATA003: a broken axis tears series apart
  DATA004

## How the outcome behaves
REW003: an outcome that crashed no longer rises or settles, and episodes end differently
  REW005 REW008 EVAL001 LEN006
REW011: an outcome that only gets worse never rises
  REW005 REW006 REW008 EVAL001 LEN006
REW005: an outcome that never rises does not follow the loss
  REW006
"""


def _read(table: str) -> dict[str, tuple[Cause, ...]]:
    found: dict[str, list[Cause]] = {}
    for line in table.strip().splitlines():
        if line.startswith("## "):
            rows = found[line[3:]] = []
        elif line.startswith("  "):
            rows[-1] = rows[-1]._replace(effects=(*rows[-1].effects, *line.split()))
        elif line:
            code, _, why = line.partition(": ")
            rows.append(Cause(code, (), why))
    return {title: tuple(rows) for title, rows in found.items()}


MECHANISMS = _read(TABLE)

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
