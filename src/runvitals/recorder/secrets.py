"""What must never be written down: settings called like secrets, and values that look like one.

Keys are judged by their words, values by the forms that providers give their tokens, and by where
secrets stand in URLs, headers and JSON. Scanners for repositories bring a command line, plugins that
ask the network, and entropy tests that take hashes and paths for secrets; a run needs none of that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

HIDDEN = "***"

_KEY = re.compile(
    r"""
    api[_-]?key | secret | passw(or)?d | passphrase | (^|[._-])(pwd|pass|psw|dsn)$ | credential
    | (private|access|account|signing|encryption|master|license|ssh)[_-]?key
    | (open_?ai|anthropic|claude|gemini|google|azure|aws|gcp|hf|hugging_?face|wandb|comet|neptune|mlflow
       |cohere|groq|mistral|together|replicate|deepseek|serper|tavily|langsmith|stripe|slack|discord
       |github|gitlab|sentry|datadog)[_-]?(api[_-]?)?key
    | authori[sz]ation | (^|[._-])(auth|bearer|cookie|session[_-]?id|jwt)$ | set[_-]?cookie
    | web[_-]?hook | connection[_-]?string | sas[_-]?(token|url)
    | (^|[._-])(auth|access|hf|hub|wandb|bearer|refresh|id|bot|api|push|read|write)[_-]?token$
    | (^|[._-])token$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TOKENIZER = re.compile(  # words of language models, not of people
    r"(^|[._-])(pad|eos|bos|unk|mask|sep|cls|image|video|audio|special|start|stop|end|prefix|suffix|im|"
    r"think|tool|system|user|assistant|decoder[_-]start|begin|sot|eot|first|last|next|per|new|blank|"
    r"boi|eoi|fim)[_-]?token$",
    re.IGNORECASE,
)
_FORMS = re.compile(
    r"""
    -----BEGIN[ A-Z]*PRIVATE\ KEY-----[\s\S]*?(-----END[ A-Z]*PRIVATE\ KEY-----|$)
    | \b(sk|pk|rk)-[A-Za-z0-9_-]{16,} | \b(sk|rk|pk)_(live|test)_[A-Za-z0-9]{10,}
    | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_\w{20,} | \bgl(pat|dt|rt|ptt|agent)-[\w-]{16,}
    | \bhf_[A-Za-z0-9]{20,} | \bapi_org_[A-Za-z0-9]{20,} | \b(AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}\b
    | \bAIza[\w-]{30,} | \bya29\.[\w-]{20,} | \bxox[abeoprs]-[\w-]{10,} | \bxapp-[\w-]{10,}
    | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]* | \bnpm_[A-Za-z0-9]{30,} | \bpypi-[\w-]{30,}
    | \bSG\.[\w-]{16,}\.[\w-]{16,} | \bdop_v1_[0-9a-f]{40,} | \bdckr_pat_[\w-]{20,} | \blin_api_\w{20,}
    | \bgsk_[A-Za-z0-9]{30,} | \br8_[A-Za-z0-9]{30,} | \bwandb_v1_\w{20,} | \bkey-[0-9a-f]{32}\b
    | \bAccountKey=[A-Za-z0-9+/=]{20,}
    | (?<=://)hooks\.slack\.com/\S+ | (?<=://)(\w+\.)?discord(app)?\.com/api/webhooks/\S+
    | (?<=://)[\w.-]*webhook\.office\.com/\S+ | (?<=://)api\.telegram\.org/bot[^/\s]+
    | (?<=://)chat\.googleapis\.com/\S+ | (?<=://)open\.(feishu|larksuite)\.\w+/\S*hook/\S+
    """,
    re.VERBOSE,
)
_AWS_SECRET = re.compile(
    r"(?<![\w/+.-])(?=\S{0,39}[/+])(?=\S{0,39}[A-Z])(?=\S{0,39}[a-z])(?=\S{0,39}[0-9])"
    r"[A-Za-z0-9/+]{40}(?![\w/+=.-])"
)
_HEADER = re.compile(
    r"\b((?:proxy-)?authorization|x-[\w-]*(?:key|token|secret)|api-key|(?:set-)?cookie)(\s*[:=]\s*)"
    r"(?!\*)[^\r\n\"']+",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"\b(Bearer|Basic|Token)(\s+)(?!\*)[A-Za-z0-9+/=_.~-]{8,}", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)(?!git@)[^\s\"'<>]*@")
_QUERY = re.compile(
    r"([?&;](?:[\w.-]*(?:token|secret|passw(?:or)?d|signature|credential|api[_-]?key)|key|sig|auth|pwd)=)"
    r"[^&\s\"'#;]+",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"""(["']?)([\w.-]{2,80})\1(\s*[:=]\s*)(["']?)"""
    r"""([^"',}\]\s=]+={0,2})(?=["',}\]\s]|$)\4"""
)


def is_secret(name: str) -> bool:
    """Whether a setting of this name should never be written down.

    >>> [is_secret(n) for n in ("OPENAI_API_KEY", "hub_token", "openai_key", "db.pass")]
    [True, True, True, True]
    >>> [is_secret(n) for n in ("max_tokens", "eos_token", "prompt_key", "key", "tokenizer")]
    [False, False, False, False, False]
    """
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
    text = _SCHEME.sub(rf"\1\2{HIDDEN}", text)
    text = _FORMS.sub(HIDDEN, text)
    text = _PAIR.sub(_without_value, text)
    return _AWS_SECRET.sub(HIDDEN, text)


def _without_value(pair: re.Match[str]) -> str:
    quote, key, between, inner, value = pair.groups()
    if value.startswith(HIDDEN) or not is_secret(key) or value.lower() in _PLAIN:
        return pair[0]
    return f"{quote}{key}{quote}{between}{inner}{HIDDEN}{inner}"


_PLAIN = ("true", "false", "none", "null")


def without_secrets(name: str, value: Any) -> Any:
    """A JSON-safe value of a setting without secrets, however deep they lie."""
    if isinstance(value, dict):
        return {key: without_secrets(f"{name}.{key}", inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_secrets(name, inner) for inner in redacted_words(value)]
    if value is None or isinstance(value, bool):
        return value
    if is_secret(name) and (isinstance(value, str) or "pass" in name.lower()):
        return HIDDEN
    return scrubbed(value) if isinstance(value, str) else value


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
