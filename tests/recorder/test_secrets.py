"""No secret is written down, however it comes along; what is not a secret stays readable."""

from __future__ import annotations

import json
import stat
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from runvitals.cli.main import app
from runvitals.model.secrets import HIDDEN, is_secret, scrubbed
from runvitals.recorder.provenance import git_state

TOKEN = "Zq7" + "x4Kd9LmPw2Rt6Yb8"  # pragma: stands for anything secret
FORMS = [
    f"sk-proj-{TOKEN}{TOKEN}",
    f"sk-ant-api03-{TOKEN}{TOKEN}",
    f"ghp_{TOKEN}{TOKEN}",
    f"github_pat_11ABC_{TOKEN}{TOKEN}",
    f"glpat-{TOKEN}",
    f"tskey-auth-k{TOKEN}-{TOKEN}",
    f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n{TOKEN}\n-----END PGP PRIVATE KEY BLOCK-----",
    f"hf_{TOKEN}{TOKEN}",
    "AKIA" + "IOSFODNN7EXAMPLQ",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEy",
    f"xoxb-1234567890-{TOKEN}",
    f"AIza{TOKEN}{TOKEN}",
    f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{TOKEN}",
    f"gsk_{TOKEN}{TOKEN}",
    f"-----BEGIN RSA PRIVATE KEY-----\n{TOKEN}\n-----END RSA PRIVATE KEY-----",
    f"xai-{TOKEN}{TOKEN}{TOKEN}{TOKEN}",
    f"pplx-{TOKEN}{TOKEN}",
    f"nvapi-{TOKEN}-{TOKEN}_{TOKEN}",
    f"tgp_v1_{TOKEN}-{TOKEN}",
    f"fw_{TOKEN}{TOKEN[:5]}",
    f"tvly-dev-{TOKEN}",
    f"pcsk_abc12_{TOKEN}{TOKEN}",
    f"GOCSPX-{TOKEN}-abcdefg",
    f"whsec_{TOKEN}{TOKEN}",
    f"123456789:AA{TOKEN}{TOKEN[:16]}",
    f"secret_{TOKEN}{TOKEN}{TOKEN}",
    f"hvs.{TOKEN}{TOKEN}",
    f"dp.pt.{TOKEN}{TOKEN}",
    f"2{TOKEN}Ab3_{TOKEN}9Qs4",  # of no known provider, but random
]
HEX = "6a1f09d83be745c2a1f09d83be745c2f"  # as random as TOKEN, of providers that use it
HEX_FORMS = [
    f"dapi{HEX}",
    f"SK{HEX}",
    f"shpat_{HEX}",
    f"sk_{HEX}{HEX}",
    f"KGAT_{HEX}",
    f"key-{HEX}",
]
PLACES = [
    f"machine api.host login me password {TOKEN}",
    f"postgres://me:{TOKEN}@db.host/x",
    f"https://me:p@{TOKEN}/w@host/path",
    f"https://{TOKEN}@github.com/a/b.git",
    f"https://host/api?private_token={TOKEN}&x=1",
    f"https://s3/x?X-Amz-Signature={TOKEN}&X-Amz-Credential={TOKEN}",
    f"https://hooks.slack.com/services/T0/B0/{TOKEN}",
    f"https://discord.com/api/webhooks/1/{TOKEN}",
    f"Authorization: Bearer {TOKEN}",
    f"X-Api-Key: {TOKEN}",
    f"Bearer {TOKEN}",
    json.dumps({"api_key": TOKEN, "lr": 0.1}),
    f"password={TOKEN}",
    json.dumps({"password": f"two words {TOKEN}"}),
    json.dumps(json.dumps({"api_key": f"a {TOKEN}"})),
    f"dict(api_key='{TOKEN}', x=1)",
    f"curl -u me:{TOKEN} https://host",
    f"curl --user me:{TOKEN} https://host",
    f"sshpass -p {TOKEN} ssh host",
    f"Fastly-Key: {TOKEN}",
    f"https://hooks.zapier.com/hooks/catch/1/{TOKEN}/",
    f"Server=x;User ID=u;Password={TOKEN};Encrypt=True",
]
KEYS = [
    "sessionToken",
    "jwtToken",
    "dbPass",
    "github_pat",
    "deploy_key",
    "service_account_json",
    "slack_hook_url",
    "seed_phrase",
    "openai_key",
    "OPENAI_API_KEY",
    "authorization",
    "Authorization",
    "password",
    "db.passwd",
    "client_secret",
    "hf_token",
    "webhook_url",
    "auth",
    "credentials",
    "aws_secret_access_key",
    "cookie",
    "connection_string",
    "openrouter_key",
    "pinecone_key",
    "kaggle_key",
    "conn_str",
    "totp.otp",
    "root_pw",
    "licence_key",
]
HARMLESS = {
    "max_tokens": 512,
    "eos_token": "</s>",
    "pad_token": "<pad>",
    "prompt_key": "question",
    "sort_key": "length",
    "tokenizer": "meta-llama/Llama-3.1-8B",
    "lr": 3e-4,
    "data": "s3://bucket/path/train.jsonl",
    "url": "https://huggingface.co/datasets/openai/gsm8k",
    "remote": "git@github.com:org/repo.git",
    "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "checkpoint": "/data/experiments/ppo/checkpoints/step20000",
    "mail": "someone@example.com",
    "use_auth_token": True,
    "authors": ["me"],
    "passes": 3,
    "keys": ["a", "b"],
    "name": "sk-learn-baseline-experiment-17",
    "class": "Qwen2ForCausalLMWithValueHead",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "about": "basic research",
    "auth": "none",
    "secretary": "problem",
    "schedule": "fw_learning_rate_schedule_warm",
    "license": "apache-2.0",
    "linear_key_head_dim": 128,
    "image_token": 151_655,
}


@pytest.mark.parametrize("text", FORMS + PLACES)
def test_a_value_that_looks_like_a_secret_is_hidden(text):
    for shown in (scrubbed(text), scrubbed(f"--option={text}"), scrubbed(f"see {text} there")):
        assert TOKEN not in shown
        assert "wJalrXUtnFEMI" not in shown
        assert "IOSFODNN7" not in shown
        assert HIDDEN in shown


@pytest.mark.parametrize(
    "name", ["sk-", "x-", "a-", "://", "mysql ", '"a', "eyJ", "a:", "password"]
)
def test_a_long_text_of_the_same_again_and_again_is_looked_through_soon(name):
    text = name * (40_000 // len(name))

    shown = scrubbed(text)  # hours where each place of the text looks at all the others

    assert shown


@pytest.mark.parametrize("name", KEYS)
def test_a_setting_that_is_called_like_a_secret_is_one(name):
    assert is_secret(name)


@pytest.fixture
def written(start, monkeypatch, tmp_path):
    """All bytes that a run with every secret leaves on the disk."""
    command = ["train.py", "--header", f"Authorization: Bearer {TOKEN}", "--openai-key", TOKEN]
    command += [
        json.dumps({"nested": {"secret": TOKEN}}),
        f"--db.password={TOKEN}",
        *FORMS,
        *PLACES,
    ]
    monkeypatch.setattr(sys, "argv", command)
    monkeypatch.setenv("XLA_FLAGS", f"--key=https://me:{TOKEN}@host")
    config = dict.fromkeys(KEYS, TOKEN)
    config |= {f"form{i}": value for i, value in enumerate(FORMS + PLACES)}
    config |= {
        "list": [*FORMS, *PLACES, {"password": TOKEN, "inner": [{"token": TOKEN}]}],
        "nested": {"deep": {"credentials": {"user": TOKEN, "more": [TOKEN]}}},
        "words": ["--api-key", TOKEN],
        "headers": [("X-Api-Key", TOKEN), ["Authorization", TOKEN]],
        "env": [{"name": "OPENAI_API_KEY", "value": TOKEN}],
        "hex": HEX_FORMS,
        "by_key": {f"hf_{TOKEN}{TOKEN}": 1},
        "number": {"api_token": 7531246809753},
        **HARMLESS,
    }
    run = start(config=config, tensorboard=True, judge=False, tags=FORMS, notes=f"password={TOKEN}")
    run.update_config({"late": {"hf_token": TOKEN}})
    run.log({"x": 1.0})
    told = {"best": {"url": f"https://me:{TOKEN}@host"}, "api_token": TOKEN, "pass": 0.5}
    run.summary.update(told)
    run.finish()
    return run


def test_none_of_them_is_in_any_file_of_the_run(written):
    files = [path for path in written.folder.rglob("*") if path.is_file()]
    assert any("tfevents" in path.name for path in files)

    for path in files:
        content = path.read_bytes()
        for secret in (TOKEN, HEX, "7531246809753", "wJalrXUtnFEMI", "IOSFODNN7"):
            assert secret.encode() not in content, path


def test_what_is_harmless_stays_readable(written):
    content = json.loads((written.folder / "run.json").read_text())

    assert {key: content["config"][key] for key in HARMLESS} == HARMLESS
    assert content["summary"]["pass"] == 0.5


def test_a_file_that_hides_something_is_for_its_owner_only(written, start, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["train.py"])
    monkeypatch.delenv("XLA_FLAGS")
    other = start(id="open", config={"lr": 0.1})
    other.finish()

    modes = [stat.S_IMODE((r.folder / "run.json").stat().st_mode) for r in (written, other)]

    assert modes[0] == 0o600
    assert modes[1] & 0o044


@pytest.mark.parametrize(
    "remote",
    [
        f"https://me:p@s/{TOKEN}@gitlab.com/a/b.git",
        f"https://gitlab.com/a/b.git?private_token={TOKEN}",
        f"https://oauth2:{TOKEN}@gitlab.com/a/b.git",
    ],
)
def test_a_remote_is_written_without_its_password(tmp_path, remote):
    for words in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "x", "--allow-empty"],
        ["remote", "add", "origin", remote],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)

    assert TOKEN not in git_state(tmp_path)["remote"]
    assert "gitlab.com/a/b.git" in git_state(tmp_path)["remote"]


def test_a_report_leaves_out_what_it_is_told_to(start, tmp_path, monkeypatch):
    from runvitals.view.html_report import document

    monkeypatch.setattr(document, "built_page", lambda: "<html><head></head><body></body></html>")
    run = start(config={"lr": 0.1, "customer": "ACME", "data": "/home/me/secret-project"})
    run.log({"x": 1.0})
    run.finish()
    from runvitals.diagnosis.judge import Settings
    from runvitals.readers.follow import opened
    from runvitals.readers.options import read_options
    from runvitals.view.html_report.contents import contents_of
    from runvitals.view.html_report.document import places_below

    [place] = places_below([run.folder])
    [view] = opened(place.found, read_options(None, None, None))

    shown = contents_of(view, place, 0, Settings(), ["host", "paths", "argv", "cust*"]).page

    text = json.dumps(shown)
    assert "ACME" not in text
    assert "/home/me" not in text
    assert str(tmp_path) not in text
    assert shown["provenance"]["host"] == shown["provenance"]["argv"] == "***"
    assert shown["full_config"]["lr"] == 0.1


def test_the_command_knows_the_option():
    assert "--redact" in CliRunner().invoke(app, ["report", "--help"]).stdout


def test_a_report_has_no_secret_that_another_tool_wrote_down():
    from runvitals.view.html_report.contents import redacted
    from runvitals.view.schemas.run import RunDetail

    said = {"hub_token": TOKEN, "args": ["--api-key", TOKEN], "lr": 0.1}
    detail = RunDetail.model_construct(
        id="a", path="p", root="r", name="n", full_config=said, provenance=said
    )

    text = json.dumps(redacted(detail.model_dump(), []))

    assert TOKEN not in text
    assert "0.1" in text
