"""The words that training loops print: what counts, what is measured, what only fills a line.

`plain` brings the counts that some loops and frameworks spell in their own way to these words.
"""

import re

COUNTERS = {
    name: place
    for place, name in enumerate(
        "timestep timesteps step steps update updates iteration iterations iter iters itr it batch "
        "batches minibatch mb frame frames episode episodes ep game games rollout round cycle "
        "generation gen trial epoch epochs".split()
    )
}
# What may stand before it: "warmup steps" and "steps per epoch" are settings.
BEFORE_COUNTER = frozenset(
    "global train training env environment total current learning agent num n outer inner val valid "
    "validation eval evaluation test policy optimizer optim learner actor game update gradient grad "
    "the time step main overall meta self play running starting".split()
)
AFTER_COUNTER = frozenset("num number no idx index".split())  # "Episode Num: 3"
# Words beside the number of things that something was averaged over.
WINDOWS = frozenset("over last past previous recent first top of for in across per".split())
SPLITS = frozenset(
    "val valid validation validating eval evaluation evaluating test testing dev".split()
)
# Words around a name that are not part of it: "finished with reward: 3", "reward total was 3".
FILLERS = frozenset(
    "a an the and with in at is was are after finished finish completed complete done ended has had "
    "took taken reached achieved got to from by on of for done logging now currently so "
    "far current".split()
)
NO_METRIC = frozenset(
    "pid tid rank line ip port thread worker actor_id device gpu cuda local_rank node eta v_num".split()
)
LEARNING = frozenset(
    "loss losses reward rewards return returns score scores acc accuracy lr learning kl entropy grad "
    "gradnorm gnorm ppl perplexity mse mae rmse nll bleu rouge f auc precision recall win wins winrate "
    "success epsilon eps advantage critic actor policy td error err dice iou psnr ssim fid bpb bpc "
    "elbo margin utility fitness profit episodic ret rew mrr ndcg wer cer corr".split()
)
STRONG = frozenset(
    "loss losses reward rewards return returns acc accuracy kl entropy ppl perplexity lr mse "
    "nll".split()
)
# Outcomes and losses, and what may stand beside them in a name: "avg train loss".
MEASURED = frozenset(
    "loss losses reward rewards return returns score scores acc accuracy entropy ppl perplexity mse "
    "mae rmse nll bleu".split()
)
BESIDE_MEASURED = frozenset(
    "avg average mean total train training best running final episode policy value critic actor "
    "cumulative max min".split()
)
OF_TRAINING = frozenset("lr learning time epsilon eps grad gnorm best patience".split())
TRAINING_COUNTS = frozenset(
    "epoch epochs ep episode episodes iteration iterations iter itr globalstep timestep timesteps "
    "totaltimesteps generation".split()
)
SHARES = frozenset("acc accuracy correct success win wins winrate solved passed".split())
ABSENT = frozenset({"none", "null", "n/a", "na", "true", "false"})  # where a number would stand
# Words that introduce values without saying what they are about.
GENERIC = frozenset(
    "result results metric metrics summary stats statistics final average mean info log logs report "
    "best train training epoch step iteration episode episodes debug update progress status current "
    "total performance overall output evaluate score scores".split()
)


_UNIT = r"(?:epoch|iteration|iter|episode|step|update|generation|round|batch)"
_INVERTED = re.compile(
    r"(?P<what>[^\W\d_][\w ()/-]{0,40}?) (?:at|after|for|in|of|on) (?:the )?"
    rf"(?:(?P<unit>{_UNIT})s?[ #:]{{1,2}}(?P<count>\d{{1,12}})(?: ?/ ?\d{{1,12}})?"
    rf"|(?P<first>\d{{1,12}}) (?P<of>{_UNIT})s?)"
    r" ?(?::|=|is|was|->) ?(?=[-+.\[(]?\d|nan\b|inf\b|[(\[]?np\.|tensor)",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    rf"(?:results?|summary|stats|statistics|metrics) (?:for|of|after|at) (?={_UNIT}s?\b)",
    re.IGNORECASE,
)
_WORDS_BETWEEN = re.compile(r" (?:at|after|for|in|of|on) ", re.IGNORECASE)
# At the beginning of a line: PyTorch's tutorials, timm, bare fractions.
_BEGINNINGS = (
    (re.compile(r"\[(\d{1,9}), {1,8}(\d{1,12})\]:?(?=\s)"), r"Epoch \1 | batch \2 |"),
    (
        re.compile(r"\[(\d{1,9})/(\d{1,9})\] ?\[(\d{1,12})/(\d{1,12})\]"),
        r"Epoch \1/\2 | batch \3/\4 |",
    ),
    (re.compile(r"Train: (\d{1,9}) \[(?= {0,8}\d{1,12}/)"), r"Epoch \1 ["),
    (re.compile(r"(?:[@#](\d{1,12})[:,]?|(\d{1,12}):)[ \t]{1,4}(?=[A-Za-z])"), r"step \1\2 | "),
    (re.compile(r"(\d{1,12})/(\d{1,12})[:,]?[ \t]{1,4}(?=[A-Za-z])"), r"step \1/\2 | "),
)
_DOTTED = re.compile(r"\b(ep|epoch|episode|iter|step)\. ?(?=\d{1,12}(?![\d.]))", re.IGNORECASE)
_PHASE = re.compile(r"\b(Epoch|Iter)\((train|val|test)\)")  # MMEngine
_LOGURU = re.compile(r"\| [A-Z]{4,8} {1,5}\| ")
_PLACE = re.compile(r"(?<=\|) ?[\w.<>]{1,80}:[\w<>]{1,80}:\d{1,6} - ")  # Loguru
_WRITER = re.compile(r"(?<=\]) \[(\d{1,12})\] (?=[A-Za-z_][\w/.-]{0,80}=)")  # CLU
_ESPNET = re.compile(
    r"\(\w{1,40}:\d{1,6}\) [A-Z]{4,8}: (\d{1,9})epoch:train:\d{1,9}-(\d{1,9})batch:"
)
_NUMBER = r"[-+]?(?:\d{1,20}\.?\d{0,20}(?:[eE][-+]?\d{1,3})?|nan)"
_LIST = re.compile(rf"(?<=[:=])\s?\[ ?({_NUMBER}(?:, ?{_NUMBER}){{1,255}}) ?\]")


def plain(text: str) -> str:
    """The line in the grammar's own words; mostly the line as it is.

    >>> plain("[2,  4000] loss: 1.3"), plain("Cost after iteration 300: 0.5")
    ('Epoch 2 | batch 4000 | loss: 1.3', 'iteration 300 | Cost: 0.5')
    >>> plain("Epoch(val) [1][100/100]  acc: 0.9")
    '[val] Epoch [1][100/100]  acc: 0.9'
    >>> plain("accuracy rewards: [0.0, 1.0, 1.0, 0.0]")
    'accuracy rewards: 0.5'
    """
    if found := _ANNOUNCED.match(text):
        text = text[found.end() :]
    begin = text[:1] or " "
    if begin in "[@#" or begin.isdigit() or text.startswith("Train: "):
        for pattern, words in _BEGINNINGS:
            if found := pattern.match(text):
                text = found.expand(words) + text[found.end() :]
                break
    elif _WORDS_BETWEEN.search(text, 0, 60) and (found := _INVERTED.match(text)):
        unit, count = found["unit"] or found["of"], found["count"] or found["first"]
        return f"{unit} {count} | {found['what']}: {text[found.end() :]}"
    if "[" in text and ", " in text:
        text = _LIST.sub(_mean, text)
    if "p." in text or "h." in text or "e." in text or "r." in text:
        text = _DOTTED.sub(r"\1 ", text)
    if "(" in text:
        text = _PHASE.sub(_phase, text)
        if "epoch:train:" in text:
            text = _ESPNET.sub(r"Epoch \1 | batch \2 |", text)
    if "| " in text and _LOGURU.search(text, 0, 60):
        text = _PLACE.sub(" ", text, count=1)
    if "] [" in text:
        text = _WRITER.sub(r" step \1 | ", text, count=1)
    return text


def _mean(found: re.Match[str]) -> str:
    """What a list of numbers under one name is on average: rewards of the samples of a batch."""
    numbers = [float(one) for one in found[1].split(",")]
    return f" {sum(numbers) / len(numbers):.6g}"


def _phase(found: re.Match[str]) -> str:
    return found[1] if found[2] == "train" else f"[{found[2]}] {found[1]}"
