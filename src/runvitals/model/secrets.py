"""What must never be written down: settings called like secrets, and values that look like one.

`redacted` is the one function that everything on its way to the disk goes through. Keys are judged by
their words, values by the forms that providers give their tokens, and by where secrets stand in URLs,
headers and JSON. Scanners for repositories bring a command line, plugins that
ask the network, and entropy tests that take hashes and paths for secrets; a run needs none of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from runvitals.model.atomic import HIDDEN

MIN_RANDOM = 20  # characters; shorter ones are ids and version names at least as often
MIN_RANDOM_DIGITS = 2
# between lower case, upper case and digits; 0.62 of a random string, 0.35 of CamelCase
MIN_CHANGES = 0.45

# A prefix that stands for a provider, then characters that look random.
FORMS = re.compile(
    r"""
    \bAGE-SECRET-KEY-1[0-9A-Z]{50,}
    # language models
    | (?<![\w-])c?(sk|pk|rk)-[\w-]{0,24}?[A-Za-z0-9]{16}[\w-]* | \bsk_[0-9a-f]{40,}
    | \bxai-[A-Za-z0-9]{40,}
    | \bpplx-[A-Za-z0-9]{30,} | \bgsk_[A-Za-z0-9]{30,} | \br8_[A-Za-z0-9]{30,} | \bnvapi-[\w-]{40,}
    | \btgp_v1_[\w-]{30,} | \bfw_[A-Za-z0-9]{20,} | \blsv2_(pt|sk)_[0-9a-f_]{30,} | \btvly-[\w-]{20,}
    | \bpcsk_\w{30,} | \bhf_[A-Za-z0-9]{20,} | \bapi_org_[A-Za-z0-9]{20,} | \bKGAT_[0-9a-f]{30,}
    | \b(local-)?wandb_v1[_-]\w{20,} | \ba[ks]-[A-Za-z0-9]{22}\b
    # code and packages
    | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_\w{20,} | \bgl(pat|dt|rt|ptt|agent|cbt)-[\w-]{16,}
    | \bnpm_[A-Za-z0-9]{30,} | \bpypi-[\w-]{30,} | \bdckr_pat_[\w-]{20,} | \bATATT3[\w=-]{50,}
    | \bATBB[A-Za-z0-9]{28,} | \blin_api_\w{20,} | \bntn_[A-Za-z0-9]{40,} | \bsecret_[A-Za-z0-9]{40,}
    | \bpat[A-Za-z0-9]{14}\.[0-9a-f]{60,} | \bPMAK-[0-9a-f-]{50,}
    # clouds
    | \b(AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}\b | \bAIza[\w-]{30,} | \bya29\.[\w-]{20,}
    | \bGOCSPX-[\w-]{20,} | \bAccountKey=[A-Za-z0-9+/=]{20,} | \b\w{3}\dQ~[\w.~-]{30,}
    | \bdop_v1_[0-9a-f]{40,} | \bHRKU-[\w-]{30,} | \bfm[12][a-z]?_[A-Za-z0-9+/=_-]{40,}
    | \bSCW[0-9A-Z]{17}\b | \bhv[sbr]\.[\w-]{20,} | \b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}
    | \bdp\.(pt|st|ct|sa)\.[\w-]{30,} | \bpscale_(tkn|oauth|pw)_[\w.-]{30,} | \bsbp_[0-9a-f]{40}\b
    | \bdapi[0-9a-f]{32}\b | \btskey-[a-z]+-[\w-]{20,}
    # messages, payments, monitoring
    | \bxox[abeoprs]-[\w-]{10,} | \bxapp-[\w-]{10,} | \b\d{8,10}:AA[\w-]{30,}
    | \b[MNO][A-Za-z\d]{22,25}\.[\w-]{6}\.[\w-]{25,} | \b(SK|AC)[0-9a-f]{32}\b
    | \bSG\.[\w-]{16,}\.[\w-]{16,} | \bkey-[0-9a-f]{32}\b | \b(sk|rk|pk)_(live|test)_[A-Za-z0-9]{10,}
    | \bwhsec_[A-Za-z0-9+/=]{24,} | \bshp(at|ca|pa|ss)_[0-9a-fA-F]{32} | \bsl\.[\w-]{60,}
    | \bglsa_\w{32,} | \bglc_[A-Za-z0-9+/=]{32,} | \bNRAK-[A-Z0-9]{27} | \bsntry[su]_[\w+/=-]{40,}
    | (?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,}\.[\w-]*
    # addresses that whoever knows them may post to
    | (?<=://)hooks\.(slack|zapier)\.com/\S+ | (?<=://)(\w+\.)?discord(app)?\.com/api/webhooks/\S+
    | (?<=://)[\w.-]*webhook\.office\.com/\S+ | (?<=://)api\.telegram\.org/bot[^/\s]+
    | (?<=://)chat\.googleapis\.com/\S+ | (?<=://)open\.(feishu|larksuite)\.\w+/\S*hook/\S+
    """,
    re.VERBOSE,
)
PRIVATE_KEY = re.compile(
    r"-----BEGIN[ A-Z]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END[ A-Z]*PRIVATE KEY( BLOCK)?-----|$)"
)
# All forms are this long at least and have none of these characters: most words need no closer look.
CANDIDATE = re.compile(r"""[^\s"',{}()\[\]<>|;]{14,}""")
MAX_CANDIDATE = 10_000  # characters; what is longer is data in base64
AWS_SECRET = re.compile(
    r"(?<![\w/+.-])(?=\S{0,39}[/+])(?=\S{0,39}[A-Z])(?=\S{0,39}[a-z])(?=\S{0,39}[0-9])"
    r"[A-Za-z0-9/+]{40}(?![\w/+=.-])"
)
LONG_RUN = re.compile(rf"(?<![A-Za-z0-9])[A-Za-z0-9]{{{MIN_RANDOM},}}(?![A-Za-z0-9])")
_CHANGE = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])")


def is_random(run: str) -> bool:
    """Whether letters of both cases and digits are mixed as only a generator mixes them.

    Hashes in hexadecimal, which name commits and files, are not.

    >>> is_random("Zq7x4Kd9LmPw2Rt6Yb8sN1"), is_random("Qwen2ForCausalLMWithValueHead")
    (True, False)
    >>> is_random("9fceb02d0ae598e95dc970b74767f19372d61af8")
    False
    """
    digits = sum(map(str.isdigit, run))
    if digits < MIN_RANDOM_DIGITS or run.upper() == run or run.lower() == run:
        return False
    return len(_CHANGE.findall(run)) >= MIN_CHANGES * (len(run) - 1)


_KEY = re.compile(
    r"""
    api[_-]?key | secret(?!ar) | passw(or)?d | passphrase | passcode | mnemonic | seed[_-]?phrase
    | (^|[._-])(pwd|user_?pass|pass|psw|pw|dsn|otp)$
    | credential | recovery[_-]?codes?$
    | (private|access|account|signing|encryption|master|licen[cs]e|ssh|storage|rsa|tls|ssl|deploy|hmac)
      [_-]?key
    | (service[_-]?account|key[_-]?file)[_-]?(json|info) | (github|gitlab|azure|ado)[_-]?pat$
    | (open_?ai|anthropic|claude|gemini|google|azure|aws|gcp|hf|hugging_?face|wandb|comet|neptune|mlflow
       |cohere|groq|mistral|together|replicate|deepseek|serper|tavily|langsmith|stripe|slack|discord
       |github|gitlab|sentry|datadog|open_?router|fireworks|xai|grok|pinecone|voyage|jina|kaggle|nvidia|ngc
       |perplexity|cerebras|runpod|qdrant|weaviate|algolia|twilio|sendgrid|mailgun|supabase|firebase
       |notion|airtable|vllm)[_-]?(api[_-]?)?key
    | authori[sz]ation | (^|[._-])(auth|bearer|cookie|session[_-]?id|jwt)$ | set[_-]?cookie
    | web[_-]?hook | hook[_-]?url | conn(ection)?[_-]?str(ing)? | sas[_-]?(token|url)
    | (^|[._-])(auth|access|hf|hub|wandb|bearer|refresh|id|bot|api|push|read|write)[_-]?token$
    | (^|[._-])token$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NEW_WORD = re.compile("(?<=[a-z0-9])(?=[A-Z])")  # sessionToken
_TOKENIZER = re.compile(  # words of language models, not of people
    r"(^|[._-])(pad|eos|bos|unk|mask|sep|cls|image|video|audio|special|start|stop|end|prefix|suffix|im|"
    r"think|tool|system|user|assistant|decoder[_-]start|begin|sot|eot|first|last|next|per|new|blank|"
    r"boi|eoi|fim)[_-]?token$",
    re.IGNORECASE,
)
_MEASURE = re.compile(  # says something about a secret, and is none: password_min_length
    r"[._-](len|length|count|size|min|max|limit|policy|ttl|timeout|expiry|seconds|minutes|hours|days|age"
    r"|required|enabled)$",
    re.IGNORECASE,
)
# What 40 hexadecimal digits may stand for besides a key of W&B, which has the same form.
_DIGEST = re.compile(
    r"commit|sha|hash|rev(ision)?s?$|rev[._-]|digest|checksum|version|fingerprint|etag|git|tree"
    r"|snapshot|(^|[._-])(id|ref|head|base|branch)s?$",
    re.IGNORECASE,
)
_HEX_KEY = re.compile("[0-9a-f]{40}", re.IGNORECASE)
_NAMED_HEX_KEY = re.compile(  # `wandb login 6a1f...`
    r"((?:wandb|w&b|weights\s?(?:&|and)\s?biases)[^\r\n]{0,60}?(?<![0-9A-Za-z/@]))[0-9a-f]{40}(?![0-9A-Za-z])",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"((?<![\w-])(?:proxy-)?authorization|(?<![\w-])x-[\w-]{0,40}(?:key|token|secret)|(?<![\w-])[\w-]{0,40}api-key|fastly-key|(?:set-)?cookie)(\s*[:=]\s*)"
    r"(?!\*)[^\r\n\"']+",
    re.IGNORECASE,
)
_SCHEME = re.compile(
    r"\b(Bearer\s+(?!\*)|(?:Basic|Token)\s+(?=\S{0,80}[0-9=]|(?-i:\S{0,80}[a-z][A-Z])))"
    r"[A-Za-z0-9+/=_.~-]{8,}",
    re.IGNORECASE,
)
_LOGIN = re.compile(  # of curl, wget, sshpass and the like
    r"((?:^|\s)(?:-u|--(?:proxy-)?user)[\s=]+[^\s:/]+:|\bsshpass\s+-p\s*"
    r"|\bmysql\w{0,10}\b[^\n]{0,200}?\s-p|\blogin\s+\S{1,200}\s+password\s+)(?!\*)[^\s]+"  # .netrc
)
_USER_INFO = re.compile(r"(?<=://)(?!git@)[^\s\"'<>]{0,500}@")
_QUERY = re.compile(
    r"([?&;](?:[\w.-]{0,60}(?:token|secret|passw(?:or)?d|signature|credential|api[_-]?key)|key|sig|auth|pwd)=)"
    r"[^&\s\"'#;]+",
    re.IGNORECASE,
)
_NAMED = re.compile(r"""(?<![\w.-])(\\?["'])?([\w.-]{2,80})(?(1)\1)\s{0,8}[:=]\s{0,8}""")
_VALUE = re.compile(
    r"""(\\?["'])(?P<quoted>(?:(?!\1)[^\n]){1,2000})\1|(?P<bare>[^"'\\,}\])\s]+)(?=["'\\,}\])\s]|$)"""
)
MIN_SECRET_NUMBER = 10**6  # token ids are smaller
MIN_PASSWORD_NUMBER = 1000  # a PIN
_PLAIN = ("true", "false", "none", "null", "no", "yes", "off", "on", "")
_VERSION = re.compile(  # of a package: `google-auth` has one
    r"\d{1,2}|\d{1,4}(\.(\d{1,8}|[a-z]{1,4}\d{1,4})((a|b|rc)\d{1,3})?){1,4}(\+[\w.]{1,20})?"
)
# of many commands; of others a port, a share or a path, which are not hidden
PASSWORD_OPTION = "-p"
_NOT_A_PASSWORD = re.compile(
    r"[\d.,:+-]+(e[+-]?\d+)?|.*[/\\].*|.*\.[a-z]{1,5}|.*=.*", re.IGNORECASE
)
CACHED = 8192  # short texts: `run.json` is written again and again, and most of it never changes
MAX_CACHED_TEXT = 200  # characters
PIECE = 64 * 2**10  # characters of a long text that are searched at a time


@lru_cache(CACHED)
def is_secret(name: str) -> bool:
    """Whether a setting of this name should never be written down.

    >>> [is_secret(n) for n in ("OPENAI_API_KEY", "hub_token", "sessionToken", "openai_key", "db.pass")]
    [True, True, True, True, True]
    >>> [is_secret(n) for n in ("max_tokens", "eos_token", "prompt_key", "key", "tokenizer")]
    [False, False, False, False, False]
    """
    name = _NEW_WORD.sub("_", name)
    ordinary = _TOKENIZER.search(name) or _MEASURE.search(name)
    return ordinary is None and _KEY.search(name) is not None


def scrubbed(text: str) -> str:
    """The text with everything that looks like a secret replaced.

    >>> scrubbed("postgres://me:p@ss@db/x?sslmode=on"), scrubbed("--header=Authorization: Bearer abc")
    ('postgres://***@db/x?sslmode=on', '--header=Authorization: ***')
    >>> scrubbed('{"api_key": "abc", "lr": 0.1}'), scrubbed("git@github.com:a/b.git")
    ('{"api_key": "***", "lr": 0.1}', 'git@github.com:a/b.git')
    """
    if len(text) <= MAX_CACHED_TEXT:
        return _scrubbed_short(text)
    if "PRIVATE KEY" in text:
        text = PRIVATE_KEY.sub(HIDDEN, text)
    if len(text) <= PIECE:
        return _scrubbed(text)
    return "".join(map(_scrubbed, _pieces(text)))


def _pieces(text: str) -> Iterator[str]:
    """Whole lines at a time: a search lets no other thread of the program run before it is done."""
    piece: list[str] = []
    size = 0
    for line in text.splitlines(keepends=True):
        if piece and size + len(line) > PIECE:
            yield "".join(piece)
            piece, size = [], 0
        piece.append(line)
        size += len(line)
    yield "".join(piece)


def _scrubbed(text: str) -> str:
    if len(text) < 6:
        return text
    text = PRIVATE_KEY.sub(HIDDEN, text)
    text = _USER_INFO.sub(f"{HIDDEN}@", text)
    text = _QUERY.sub(rf"\1{HIDDEN}", text)
    text = _HEADER.sub(rf"\1\2{HIDDEN}", text)
    text = _SCHEME.sub(rf"\1{HIDDEN}", text)
    text = _LOGIN.sub(rf"\1{HIDDEN}", text)
    text = _NAMED_HEX_KEY.sub(rf"\1{HIDDEN}", text)
    text = CANDIDATE.sub(_without_forms, text)
    text = _without_values(text)
    text = LONG_RUN.sub(lambda run: HIDDEN if is_random(run[0]) else run[0], text)
    return AWS_SECRET.sub(HIDDEN, text)


def _without_forms(word: re.Match[str]) -> str:
    text = word[0]
    return FORMS.sub(HIDDEN, text[:MAX_CANDIDATE]) + text[MAX_CANDIDATE:]


_scrubbed_short = lru_cache(CACHED)(_scrubbed)


def _without_values(text: str) -> str:
    """Names that stand for secrets keep their place, what follows them does not."""
    parts: list[str] = []
    done = 0
    for named in _NAMED.finditer(text):
        if named.start() < done or not is_secret(named[2]):
            continue
        value = _VALUE.match(text, named.end())
        if value is None:
            continue
        group = "bare" if value["quoted"] is None else "quoted"
        if not value[group].startswith(HIDDEN) and not _is_plain(value[group]):
            parts += [text[done : value.start(group)], HIDDEN]
            done = value.end(group)
    return "".join([*parts, text[done:]])


def _is_plain(value: str) -> bool:
    """True if a value cannot be a secret, whatever its name."""
    return value.lower() in _PLAIN or _VERSION.fullmatch(value) is not None


def redacted(value: Any, name: str = "", *, texts: bool = True) -> Any:
    """A JSON-safe value without secrets, however deep they lie; what is redacted stays as it is.

    A text is hidden if its name, or that of anything it lies in, is one of a secret; else what looks
    like a secret within it is. With `texts=False` only names count: texts of models are data.

    >>> redacted([{"name": "HF_TOKEN", "value": "abc"}, ["X-Api-Key", "abc"]], "servers")
    [{'name': 'HF_TOKEN', 'value': '***'}, ['X-Api-Key', '***']]
    >>> redacted({"pass": 0.5, "max_tokens": 512, "best": {"url": "https://a:b@c"}})
    {'pass': 0.5, 'max_tokens': 512, 'best': {'url': 'https://***@c'}}
    >>> redacted({"wandb": "6a1f09d83be745c2a1f0" * 2, "commit": "9fceb02d0ae598e95dc9" * 2})
    {'wandb': '***', 'commit': '9fceb02d0ae598e95dc99fceb02d0ae598e95dc9'}
    >>> redacted(["train.py", "--lr", "1e-3", "--api-key", "sk-1", "--hf_token=abc", "-p", "hunter2"])
    ['train.py', '--lr', '1e-3', '--api-key', '***', '--hf_token=***', '-p', '***']
    """
    if isinstance(value, str):
        return _redacted_text(value, name, texts)
    if isinstance(value, Mapping):
        return dict(_redacted_items(value, name, texts))
    if isinstance(value, list | tuple):
        words = _redacted_words(_pair(value)) if texts else value
        options = ["", *(_option_named(word) if texts else "" for word in words)]
        return [
            redacted(word, f"{name}.{option}" if option else name, texts=texts)
            for option, word in zip(options, words, strict=False)
        ]
    if type(value) in (int, float) and _hides_number(value, name.rpartition(".")[2]):
        return HIDDEN
    return value


def _redacted_text(text: str, name: str, texts: bool) -> str:
    if is_secret(name):
        return text if _is_plain(text) else HIDDEN
    if not texts:
        return text
    if _HEX_KEY.fullmatch(text) and _DIGEST.search(name) is None:
        return HIDDEN
    return scrubbed(text)


def _redacted_items(items: Mapping[Any, Any], name: str, texts: bool) -> Iterator[tuple[Any, Any]]:
    named = items.get("name", items.get("key"))
    hides = isinstance(named, str) and is_secret(named)
    for key, inner in items.items():
        own = named if hides and key == "value" else key
        path = f"{name}.{own}" if name else str(own)
        yield scrubbed(key) if isinstance(key, str) else key, redacted(inner, path, texts=texts)


def _hides_number(value: float, name: str) -> bool:
    """True for a password of digits or an account number; counts and shares are not secrets."""
    if abs(value) < MIN_PASSWORD_NUMBER or value != value // 1 or not is_secret(name):
        return False
    return "pass" in name.lower() or abs(value) >= MIN_SECRET_NUMBER


def _pair(words: Sequence[Any]) -> Sequence[Any]:
    """A header as HTTP libraries take it, a name and its value, without the value."""
    match words:
        case [str(name), str()] if is_secret(name) or _HEADER.match(f"{name}: x"):
            return [name, HIDDEN]
    return words


def _option_named(word: Any) -> str:
    """The option that a word of a command line is, whose value may follow; else nothing."""
    is_option = isinstance(word, str) and word.startswith("-") and "=" not in word
    return word.lstrip("-") if is_option else ""


def _redacted_words(words: Sequence[Any]) -> list[Any]:
    """Words of a command line without the values of options that are called like secrets."""
    shown: list[Any] = []
    before = ""
    for word in words:
        if not isinstance(word, str):
            shown.append(word)
            before = ""
            continue
        option, equals, value = word.partition("=")
        named = option.startswith("-") or re.fullmatch(r"[\w.+-]+", option) is not None
        if _takes_secret(before, word):
            shown.append(HIDDEN)
        elif equals and (
            (named and is_secret(option.lstrip("-+"))) or _takes_secret(option, value)
        ):
            shown.append(f"{option}={HIDDEN}")
        else:
            shown.append(word)
        before = "" if equals else word
    return shown


def _takes_secret(option: str, value: str) -> bool:
    """Whether this is the value of an option for a secret."""
    if not option.startswith("-") or value.startswith("--") or re.fullmatch("-[A-Za-z]", value):
        return False
    if option == PASSWORD_OPTION:
        return _NOT_A_PASSWORD.fullmatch(value) is None
    return is_secret(option.lstrip("-"))
