"""Names taken apart: tokens, synonyms, prefixes that only say where a number was logged."""

import re
import unicodedata
from functools import lru_cache


def words(text: str) -> frozenset[str]:
    """A set of words, written as a sentence."""
    return frozenset(text.split())


def spellings(table: str) -> dict[str, tuple[str, ...]]:
    """The words that stand for each spelling, from a table of `words: spelling spelling; ...`.

    >>> spellings("learning rate: lr; reward: rew rewards")["lr"]
    ('learning', 'rate')
    """
    found: dict[str, tuple[str, ...]] = {}
    for entry in re.split(r";\s*", table.strip()):
        meant, _, others = entry.partition(": ")
        found |= dict.fromkeys(others.split(), tuple(meant.split()))
    return found


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DEFAULTS = re.compile(r"\bdefault_(?:policy|module|optimizer|agent)\b")
_WITH_CAPITALS = re.compile(r"mIoU|IoU|mAP")  # one word each, whatever their capitals
_SEPARATORS = re.compile(r"[^a-z0-9%]+")

# What people write who do not log in English, without accents; `in_english` spells out Greek letters.
_TRANSLATED = {
    word: " ".join(meaning)
    for word, meaning in spellings("""
reward: recompensa recompensas recompense belohnung 奖励 獎勵 報酬 보상 награда;
return: retorno retornos 回报 回報 リターン;
loss: perdida perdidas perda perte verlust 损失 損失 손실 потери;
accuracy: exactitud acuracia genauigkeit 准确率 正解率 정확도 точность;
episode: episodio episodios 回合 エピソード 에피소드 эпизод;
epoch: epoca epocas epoque 轮次 エポック 에포크 эпоха;
step: pasos passos schritt schritte 步数 步骤 ステップ 스텝 шаг;
mean: promedio moyenne durchschnitt 平均 평균 среднее;
length: duracion duracao;
total: cumulee acumulada acumulado kumuliert kumulierte 累计 累積;
training: 训练 訓練 学習;
validation: 验证 驗證 検証;
learning rate: lernrate 学习率 學習率 学習率 학습률;
entropy: entropia entropie 熵 エントロピー 엔트로피 энтропия;
success rate: 成功率 성공률;
score: puntuacion puntaje pontuacao punteggio 得分 分数 スコア 점수;
grad: ∇
""").items()
}
FOREIGN_WORDS = re.compile(
    "|".join(
        rf"(?<![a-z]){word}(?![a-z])" if word.isascii() else word
        for word in sorted(_TRANSLATED, key=len, reverse=True)
    )
)


@lru_cache(maxsize=65_536)
def in_english(name: str) -> str:
    """A name with Greek letters spelled out, and common words of other languages in English.

    >>> in_english("loss_π"), in_english("平均奖励"), in_english("Pérdida media")
    ('loss_ pi ', ' mean  reward ', ' loss  media')
    """
    plain = name if name.isascii() else "".join(map(_plain_letter, name))
    if FOREIGN_WORDS.search(lowered := plain.lower()) is None:
        return plain
    return FOREIGN_WORDS.sub(lambda word: f" {_TRANSLATED[word[0]]} ", lowered)


@lru_cache(maxsize=1024)
def _plain_letter(letter: str) -> str:
    called = unicodedata.name(letter, "").split()
    if called[:1] == ["LATIN"] and "WITH" in called:
        return unicodedata.normalize("NFKD", letter)[0]
    if called[:3] == ["GREEK", "SMALL", "LETTER"]:
        return f" {called[3].lower().replace('lamda', 'lambda')} "
    return letter


_SYNONYMS = spellings("""
approx kl: approxkl; approx: approximate; clip fraction: clipfrac; grad norm: gradnorm gnorm;
learning rate: lr; explained variance: ev; token per s: tps; env step per s: sps fps;
episode reward: eprew; episode length: eplen; value loss: vloss; fraction: frac;
reward: rew rewards; return: ret; episode: ep episodic episodes; length: len lens lengths;
std: stddev stdev; variance: var; explained: expl; min: minimum lowest; max: maximum highest;
entropy: ent; coef: coeff coefficient; policy: actor pi pg; value: critic vf values;
q: qf qvalue qvalues qs; grad: gradient gradients; norm: norms; num: n count counts;
s: sec secs second seconds; device: gpu; generation: gen generate generated;
response: responses resp completion completions; prompt: prompts query queries;
token: tokens tok toks; accuracy: acc accuracies; margin: margins;
logprob: logps logp logprobs logpi; step: steps; update: updates; advantage: advantages adv advs;
score: scores; ratio: ratios; perplexity: ppl; sample: samples; iteration: iterations iter iters;
reference: ref; memory: mem; utilization: util utilisation; turn: turns; call: calls; queue: qsize;
noise: sigma
""")

# Words that say where or how a number was logged, not what it is.
_NOISE = words(
    "train training trainer metrics metric charts default info stats stat misc diagnostics main "
    "learner learners scalars scalar summary losses mean avg average the of in"
)
# Words too common to say alone what a number is.
VAGUE = words(
    "loss reward return returns score value entropy kl accuracy ratio time step epoch episode "
    "iteration min max std variance length learning rate margin token sample num total update "
    "policy grad norm coef alpha beta eval val test rollout q per s error size batch data delta "
    "final raw all chosen rejected penalty queue state env sft buffer replay device global "
    "perf throughput info"
)
_TRAIN_HEADS = frozenset({"train", "training", "trainer", "metrics", "default", "summary"})
_AGENT_HEAD = re.compile(r"(?:agent|player|policy|worker|env)[_-]?\d+$")
_EVAL_PREFIX = re.compile(
    r"(?:(?:eval|evaluation|val|valid|validation|test)[/_. ]|(?:Eval|Evaluation|Val|Test)/)"
)


_REMEMBERED = 2**18  # names: more than the largest runs log


@lru_cache(maxsize=_REMEMBERED)
def tokens(name: str) -> tuple[str, ...]:
    """Lower-case words of a name with synonyms unified, in order.

    >>> tokens("Training/ApproxKL")
    ('training', 'approx', 'kl')
    >>> tokens("rollout/ep_rew_mean")
    ('rollout', 'episode', 'reward', 'mean')
    """
    found: list[str] = []
    plain = _WITH_CAPITALS.sub(lambda found: found[0].lower(), _DEFAULTS.sub("", in_english(name)))
    spaced = _CAMEL.sub(" ", plain).replace("%", " % ").lower()
    for word in _SEPARATORS.split(spaced):
        if word:
            found.extend(_SYNONYMS.get(word, (word,)))
    return tuple(found)


@lru_cache(maxsize=_REMEMBERED)
def meaning_key(name: str) -> frozenset[str]:
    """The words of a name that carry meaning, as a set; two spellings of one name share it.

    >>> meaning_key("train/policy_loss") == meaning_key("Losses/Policy Loss")
    True
    """
    return frozenset(word for word in tokens(name) if word not in _NOISE)


def vague(name: str) -> bool:
    """True if every word of a name is too common to identify a tool."""
    return meaning_key(name) <= VAGUE


def without_train_prefix(name: str) -> tuple[str, dict[str, str]] | None:
    """The name below a prefix that a tracker added, such as `train/`, and the label it held.

    >>> without_train_prefix("train/loss"), without_train_prefix("agent_0/loss")
    (('loss', {}), ('loss', {'agent': 'agent_0'}))
    """
    if name.startswith("ray/tune/"):
        return name.removeprefix("ray/tune/"), {}
    head, slash, rest = name.partition("/")
    if not slash or not rest:
        return None
    if head.lower() in _TRAIN_HEADS:
        return rest, {}
    if _AGENT_HEAD.match(head.lower()):
        return rest, {"agent": head}
    return None


def without_eval_prefix(name: str) -> str | None:
    """The name below `eval/`, `eval_`, `val/`, `validation_`, `test/`, or None.

    >>> without_eval_prefix("eval_rewards/margins")
    'rewards/margins'
    """
    found = _EVAL_PREFIX.match(name)
    rest = name[found.end() :] if found else ""
    return rest or None


def squashed(name: str) -> str:
    """Separators and case made equal: trackers turn `critic/score/mean` into `critic_score_mean`."""
    return "_".join(part for part in _SEPARATORS.split(name.lower()) if part)
