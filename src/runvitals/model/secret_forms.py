"""The forms that providers give their tokens, and how to tell a random string from a word."""

from __future__ import annotations

import re

MIN_RANDOM = 20  # characters; shorter ones are ids and version names at least as often
MIN_RANDOM_DIGITS = 2
MIN_CHANGES = (
    0.45  # between lower case, upper case and digits; 0.62 of a random string, 0.35 of CamelCase
)

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
