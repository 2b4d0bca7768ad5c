"""What must never be written down: settings called like secrets, and values that look like one.

Keys are judged by their words, values by the forms that providers give their tokens, and by where
secrets stand in URLs, headers and JSON. Scanners for repositories bring a command line, plugins that
ask the network, and entropy tests that take hashes and paths for secrets; a run needs none of that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from runvitals.model.secret_forms import AWS_SECRET, FORMS, LONG_RUN, is_random

HIDDEN = "***"

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
_PLAIN = ("true", "false", "none", "null", "no", "yes", "off", "on", "0", "1", "")


def is_secret(name: str) -> bool:
    """Whether a setting of this name should never be written down.

    >>> [is_secret(n) for n in ("OPENAI_API_KEY", "hub_token", "sessionToken", "openai_key", "db.pass")]
    [True, True, True, True, True]
    >>> [is_secret(n) for n in ("max_tokens", "eos_token", "prompt_key", "key", "tokenizer")]
    [False, False, False, False, False]
    """
    name = _NEW_WORD.sub("_", name)
    return _KEY.search(name) is not None and _TOKENIZER.search(name) is None


def scrubbed(text: str) -> str:
    """The text with everything that looks like a secret replaced.

    >>> scrubbed("postgres://me:p@ss@db/x?sslmode=on"), scrubbed("--header=Authorization: Bearer abc")
    ('postgres://***@db/x?sslmode=on', '--header=Authorization: ***')
    >>> scrubbed('{"api_key": "abc", "lr": 0.1}'), scrubbed("git@github.com:a/b.git")
    ('{"api_key": "***", "lr": 0.1}', 'git@github.com:a/b.git')
    """
    if len(text) < 6:
        return text
    text = _USER_INFO.sub(f"{HIDDEN}@", text)
    text = _QUERY.sub(rf"\1{HIDDEN}", text)
    text = _HEADER.sub(rf"\1\2{HIDDEN}", text)
    text = _SCHEME.sub(rf"\1{HIDDEN}", text)
    text = _LOGIN.sub(rf"\1{HIDDEN}", text)
    text = FORMS.sub(HIDDEN, text)
    text = _without_values(text)
    text = LONG_RUN.sub(lambda run: HIDDEN if is_random(run[0]) else run[0], text)
    return AWS_SECRET.sub(HIDDEN, text)


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
        if not value[group].startswith(HIDDEN) and value[group].lower() not in _PLAIN:
            parts += [text[done : value.start(group)], HIDDEN]
            done = value.end(group)
    return "".join([*parts, text[done:]])


def without_secrets(name: str, value: Any) -> Any:
    """A JSON-safe value of a setting without secrets, however deep they lie.

    >>> without_secrets("servers", [{"name": "HF_TOKEN", "value": "abc"}, ["X-Api-Key", "abc"]])
    [{'name': 'HF_TOKEN', 'value': '***'}, ['X-Api-Key', '***']]
    """
    if isinstance(value, dict):
        named = value.get("name", value.get("key"))
        hides = isinstance(named, str) and is_secret(named)
        return {
            scrubbed(key): without_secrets(
                f"{name}.{named}" if hides and key == "value" else f"{name}.{key}", inner
            )
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [without_secrets(name, inner) for inner in redacted_words(_pair(value))]
    if value is None or isinstance(value, bool) or not is_secret(name):
        return scrubbed(value) if isinstance(value, str) else value
    if isinstance(value, str):
        return value if value.lower() in _PLAIN else HIDDEN
    return HIDDEN if "pass" in name.lower() or abs(value) >= MIN_SECRET_NUMBER else value


def texts_without_secrets(name: str, value: Any) -> Any:
    """The same for results: a number is one, whatever it is called.

    >>> texts_without_secrets("", {"pass": 0.5, "api_token": "abc", "best": {"url": "https://a:b@c"}})
    {'pass': 0.5, 'api_token': '***', 'best': {'url': 'https://***@c'}}
    """
    if isinstance(value, dict):
        return {key: texts_without_secrets(f"{name}.{key}", v) for key, v in value.items()}
    if isinstance(value, list):
        return [texts_without_secrets(name, inner) for inner in value]
    return without_secrets(name, value) if isinstance(value, str) else value


def _pair(words: list[Any]) -> list[Any]:
    """A header as HTTP libraries take it, a name and its value, without the value."""
    match words:
        case [str(name), str()] if is_secret(name) or _HEADER.match(f"{name}: x"):
            return [name, HIDDEN]
    return words


def redacted_words(words: Sequence[Any]) -> list[Any]:
    """Words of a command line without the values of options that are called like secrets.

    >>> redacted_words(["train.py", "--lr", "1e-3", "--api-key", "sk-1", "--hf_token=abc"])
    ['train.py', '--lr', '1e-3', '--api-key', '***', '--hf_token=***']
    """
    shown: list[Any] = []
    hide_next = False
    for word in words:
        if not isinstance(word, str):
            shown.append(word)
            hide_next = False
            continue
        option, equals, _ = word.partition("=")
        named = option.startswith("-") or re.fullmatch(r"[\w.+-]+", option) is not None
        if hide_next and not (word.startswith("--") or re.fullmatch(r"-[A-Za-z]", word)):
            shown.append(HIDDEN)
        elif equals and named and is_secret(option.lstrip("-+")):
            shown.append(f"{option}={HIDDEN}")
        else:
            shown.append(word)
        hide_next = word.startswith("-") and not equals and is_secret(word.lstrip("-"))
    return shown


def scrub_all(words: Sequence[str]) -> list[str]:
    """A command line without secrets."""
    clean: Callable[[str], str] = scrubbed
    return [clean(word) for word in redacted_words(words)]
