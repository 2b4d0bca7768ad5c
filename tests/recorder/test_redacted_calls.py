"""Every public call that takes text is made with a secret in it, and none of them is on the disk.

The calls are found by introspection: a new method, or a new parameter of an old one, fails here until
somebody says what it takes.
"""

from __future__ import annotations

import inspect
import json
import stat
import sys

import pytest

import runvitals as rv
from runvitals.model.atomic import HIDDEN
from runvitals.model.secrets import redacted
from runvitals.recorder.live import LiveRun
from runvitals.recorder.values import DeferredNumbers
from runvitals.remote.shipping_file import SHIPPING_FILE, ShippingFile

SECRET = "open-sesame-please"  # looks like any word: only its place gives it away
WANDB_KEY = "6a1f09d83be745c2a1f09d83be745c2f6a1f09d8"
COMMIT = "9fceb02d0ae598e95dc970b74767f19372d61af8"
TEXT = f"cannot reach https://me:{SECRET}@host, token={SECRET}"


class Fails:
    """A value whose error has a secret in it."""

    def __float__(self):
        raise RuntimeError(TEXT)


class FailsLater(DeferredNumbers):
    """The same, in the background."""

    def numbers(self):
        raise RuntimeError(TEXT)


def fails(*_):
    raise RuntimeError(TEXT)


# What each method is given, by parameter: text with a secret wherever it takes text.
METHODS = {
    "attach": {"later": FailsLater(dict)},
    "complain": {"cause": TEXT, "text": TEXT},
    "describe": {"framework": TEXT, "algorithm": TEXT},
    "expect": {"metric": "loss", "below": 0.0, "severity": "critical", "reason": TEXT},
    "learn": {"facts": {"password": SECRET, "wandb": WANDB_KEY, "tried": ["-p", SECRET, TEXT]}},
    "log": {"values": {"loss": 1.0, "fails": Fails()}},
    "log_audio": {"name": "a", "sound": [0.0] * 9, "caption": TEXT},
    "log_image": {"name": "i", "image": [[0]], "caption": TEXT},
    "log_samples": {"samples": [{"prompt": "a", "meta": {"hf_token": SECRET}, "api_key": SECRET}]},
    "log_table": {"name": "t", "columns": ["a", TEXT], "rows": [[1, TEXT]]},
    "log_text": {"name": "t", "text": TEXT},
    "log_video": {"name": "v", "video": b"GIF89a", "caption": TEXT},
    "on_finding": {"callback": fails},
    "on_verdict": {"callback": fails},
    "progress": {"fields": {"hf_token": SECRET, "latest_checkpoint": f"s3://me:{SECRET}@b/c"}},
    "update_config": {"config": {"db": {"password": SECRET}}, "settings": {"wandb": WANDB_KEY}},
    "finish": {"status": f"failed: {TEXT}"},
}
# Parameters of theirs, and methods, that take no text. The name of a series is its identity, which
# hiding a part of it could make that of another: it is written as it is.
NO_TEXT = {
    "exit_code",
    "wait",
    *("step", "severity", "above", "below", "between", "by_step", "after_step", "patience"),
    *("bins", "tokens", "amounts", "counts", "total", "parts", "penalties"),
    *("name", "metric", "rule", "stage", "sample_rate"),
}
NUMBERS_ONLY = {"count", "epoch", "flush", "log_actions", "log_histogram", "log_reward_breakdown"}
NUMBERS_ONLY |= {"log_rows", "stop_on", "timer"}
SET_BY_USERS = {"summary"}  # properties that users change in place

INIT = {
    "project": f"token={SECRET}",
    "name": f"password={SECRET}",
    "config": {
        "hf_token": SECRET,
        "wandb": WANDB_KEY,
        "db": {"password": 123456},
        "args": ["-p", SECRET],
        "commit": COMMIT,
        "max_tokens": 512,
        "tokenizer": "gpt2",
        "password_policy_len": 1200,
        "dataset": {"revision": COMMIT},
    },
    "tags": [f"token={SECRET}", TEXT],
    "notes": TEXT,
    "framework": TEXT,
    "algorithm": TEXT,
}
# Paths are the user's own, `notify` and `remote` are handed on and not written (but see below).
INIT_WITHOUT_TEXT = {
    *("dir", "folder", "id", "resume", "rank", "console", "tensorboard", "csv", "system", "sinks"),
    *("compact", "handle_signals", "judge", "stop_on", "stop_raises", "notify", "remote"),
}
# Functions of the package that record nothing of their own: `log` and `finish` are the run's.
OTHER_FUNCTIONS = {
    *("capture", "finish", "judge", "log", "open_run", "open_runs", "show", "tree_vitals", "watch")
}


def public_methods():
    names = [name for name in dir(LiveRun) if not name.startswith("_")]
    return {n: m for n in names if callable(m := inspect.getattr_static(LiveRun, n))}


def parameters(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


def call(run, name, given):
    """With what is given by parameter, whatever kind of parameter it is."""
    words, options = [], {}
    for parameter in inspect.signature(getattr(run, name)).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            options |= given.get(parameter.name, {})
        elif parameter.name in given and parameter.kind is parameter.POSITIONAL_ONLY:
            words.append(given[parameter.name])
        elif parameter.name in given:
            options[parameter.name] = given[parameter.name]
    getattr(run, name)(*words, **options)


def test_every_method_and_parameter_of_a_run_is_covered():
    methods = public_methods()

    assert set(methods) == set(METHODS) | NUMBERS_ONLY
    for name, given in METHODS.items():
        assert set(parameters(methods[name])) - set(given) <= NO_TEXT, name


def test_every_property_of_a_run_that_can_be_changed_is_covered():
    of_run = inspect.getmembers_static(LiveRun, lambda member: isinstance(member, property))

    assert all(member.fset is None for _, member in of_run)
    assert {name for name, _ in of_run} >= SET_BY_USERS


def test_every_function_of_the_package_is_covered():
    functions = {name for name in rv.__all__ if inspect.isfunction(getattr(rv, name))}

    assert functions == {"init"} | OTHER_FUNCTIONS
    assert set(parameters(rv.init)) == set(INIT) | INIT_WITHOUT_TEXT


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A run to which every public call gave a secret."""
    command = ["train.py", "-p", SECRET, "--hf-token", SECRET, "wandb", "login", WANDB_KEY]
    monkeypatch.setattr(sys, "argv", [*command, "--revision", COMMIT, "-p", "8080"])
    monkeypatch.setenv("XLA_FLAGS", f"--password={SECRET}")
    monkeypatch.setenv("SLURM_JOB_NAME", TEXT)
    run = rv.init(**INIT, dir=tmp_path, csv=True, system=False)
    run.summary.update(api_key=SECRET, best=TEXT, **{"pass": 0.5})
    with pytest.warns(rv.RunvitalsWarning):
        for _ in range(60):  # enough for the judge to have something to say
            run.log({"loss": 1.0})
        for name, given in METHODS.items():
            call(run, name, given)
    return run


def test_no_secret_is_in_any_file_or_file_name(written, tmp_path):
    files = [path for path in tmp_path.rglob("*") if path.is_file()]

    names = {path.name for path in files}
    assert {"run.json", "training_progress.json", "training.log", "findings.jsonl"} <= names
    assert {path.parent.name for path in files} >= {"events", "samples", "tensorboard"}
    for path in files:
        content = path.read_bytes()
        assert SECRET.encode() not in content, path
        assert WANDB_KEY.encode() not in content, path
        assert SECRET not in str(path)


def test_what_was_said_is_there_without_the_secret(written):
    content = json.loads((written.folder / "run.json").read_text())

    clean = f"cannot reach https://{HIDDEN}@host, token={HIDDEN}"
    assert content["notes"] == content["framework"] == clean
    by_call = [problem.removesuffix(clean) for problem in content["problems"]]
    assert {
        "",  # complain
        "a row could not be read back: RuntimeError: ",
        "an on_finding callback failed: RuntimeError: ",
        "an on_verdict callback failed: RuntimeError: ",
    } <= set(by_call)
    assert content["summary"]["best"] == clean
    assert content["provenance"]["password"] == HIDDEN
    assert content["provenance"]["argv"][-4:] == ["--revision", COMMIT, "-p", "8080"]


def test_what_is_harmless_survives(written):
    config = json.loads((written.folder / "run.json").read_text())["config"]

    assert config["commit"] == config["dataset.revision"] == COMMIT
    assert config["max_tokens"] == 512
    assert config["tokenizer"] == "gpt2"
    assert config["password_policy_len"] == 1200
    assert config["db.password"] == config["wandb"] == HIDDEN


def test_files_that_hide_something_are_for_their_owner_only(written):
    hiding = [
        path
        for path in written.folder.rglob("*")
        if path.is_file() and HIDDEN.encode() in path.read_bytes()
    ]

    assert {"run.json", "training_progress.json", "training.log"} <= {path.name for path in hiding}
    assert {path.parent.name for path in hiding} >= {"events", "samples", "tensorboard"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in hiding} == {0o600}


def test_what_models_are_given_and_write_is_kept_word_for_word(start):
    run = start(judge=False)

    run.log_samples({"prompt": TEXT, "completion": "***", "tokens": ["password", "abc"]})
    run.finish()

    [path] = (run.folder / "samples").iterdir()
    fields = json.loads(path.read_text())["fields"]
    assert fields == {"prompt": TEXT, "completion": "***", "tokens": ["password", "abc"]}


def test_the_place_that_a_run_is_shipped_to_is_written_without_its_password(tmp_path):
    shipping = ShippingFile(tmp_path, f"s3://me:{SECRET}@bucket/runs")

    shipping.failed(OSError(TEXT))

    assert SECRET not in (tmp_path / SHIPPING_FILE).read_text()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"wandb": WANDB_KEY}, {"wandb": HIDDEN}),
        ({"sha": COMMIT, "git": {"head": COMMIT}}, {"sha": COMMIT, "git": {"head": COMMIT}}),
        (f"wandb login {WANDB_KEY}", f"wandb login {HIDDEN}"),
        (f"at commit {COMMIT}", f"at commit {COMMIT}"),
        (f"snapshots/{COMMIT}/x", f"snapshots/{COMMIT}/x"),
        (["a", "-p", "hunter"], ["a", "-p", HIDDEN]),
        (["a", "-p=hunter"], ["a", f"-p={HIDDEN}"]),
        (["-p", "8080", "-p", "0.5", "-p", "a/b", "-p", "-v"],) * 2,
        ({"google-auth": "2.29.0", "auth": "0.0.1.dev3+g1a2"},) * 2,
        ({"password": 1234, "token": 50_256}, {"password": HIDDEN, "token": 50_256}),
        ({"password_min_length": 1200, "secret_count": 10**7},) * 2,
        ({"eval/password": {"last": 0.5, "step": 20_000}},) * 2,
    ],
)
def test_secrets_are_told_from_what_looks_like_them(value, shown):
    assert redacted(value) == shown
    assert redacted(shown) == shown
