"""The public benchmark: its index is complete, logs are fetched with git, answers are counted."""

import json
import subprocess

import pytest
from benchmarks.natural import LabelledLog, labelled_logs, rivals
from benchmarks.natural.fetch import fetch
from benchmarks.natural.score import Answer, table
from benchmarks.rivals.asking import Answer as RivalAnswer
from benchmarks.rivals.asking import Rival


def labelled(**more):
    known = {"log": "a", "repository": "owner/name", "commit": "0" * 40, "paths": ("x.csv",)}
    return LabelledLog(
        **{**known, "label": "healthy", "confidence": "high", "evidence": "", **more}
    )


def test_every_log_has_a_place_a_label_and_evidence():
    logs = labelled_logs()

    assert len(logs) > 500
    assert len({log.log for log in logs}) == len(logs)
    for log in logs:
        assert len(log.commit) == 40
        assert log.paths
        assert log.repository.count("/") == 1
        assert log.label.startswith(("healthy", "sick", "unclear", "harmless", "degraded"))
        assert log.evidence


@pytest.mark.parametrize(
    ("label", "confidence", "truth"),
    [
        ("healthy", "high", "healthy"),
        ("sick: flat", "medium", "sick"),
        ("sick: flat", "low", None),
        ("unclear: short", "high", None),
    ],
)
def test_only_clear_labels_count(label, confidence, truth):
    assert labelled(label=label, confidence=confidence).truth == truth


def test_a_log_is_fetched_from_its_commit(tmp_path):
    repository = tmp_path / "owner" / "name"
    repository.mkdir(parents=True)

    def git(*words):
        settings = ["-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run(
            ["git", *settings, *words], cwd=repository, check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    git("init", "--quiet")
    git("config", "uploadpack.allowAnySHA1InWant", "true")
    (repository / "logs").mkdir()
    (repository / "logs" / "x.csv").write_text("step,reward\n1,2\n")
    git("add", "-A")
    git("commit", "--quiet", "-m", "a log")
    commit = git("rev-parse", "HEAD")
    (repository / "logs" / "x.csv").write_text("changed later\n")
    git("commit", "--quiet", "-am", "another")

    fetch(
        labelled(commit=commit, paths=("logs/x.csv",)), tmp_path / "logs", host=f"file://{tmp_path}"
    )

    assert (tmp_path / "logs" / "a" / "x.csv").read_text() == "step,reward\n1,2\n"


def test_answers_are_counted_by_truth():
    logs = [
        labelled(log="a"),
        labelled(log="b", label="sick: flat"),
        labelled(log="c", label="sick"),
    ]
    answers = {"a": Answer(alarm=False, praise=True), "b": Answer(alarm=True, praise=False)}

    rows = {row.split("|")[1].strip(): row.split("|")[2].strip() for row in table(logs, answers)}

    assert rows["sick logs alarmed"] == "1 of 2"
    assert rows["healthy logs praised"] == "1 of 1"
    assert rows["healthy logs alarmed"] == "0 of 1"


def test_the_index_is_one_json_object_per_line():
    from benchmarks.natural import INDEX

    for line in INDEX.read_text().splitlines():
        assert set(json.loads(line)) == set(LabelledLog.__dataclass_fields__)


def test_rivals_are_counted_on_the_logs_whose_label_counts(tmp_path):
    logs = [
        LabelledLog(name, "a/b", "c", ("x.csv",), label, confidence, "")
        for name, label, confidence in [
            ("sick", "sick: stalled", "high"),
            ("fine", "healthy", "high"),
            ("doubtful", "sick: stalled", "low"),
            ("gone", "healthy", "high"),
        ]
    ]
    for name in ("sick", "fine", "doubtful"):
        (tmp_path / name).mkdir()

    runs = rivals.counted_runs(tmp_path, logs)
    sick, _ = runs
    asked = Rival("doctor", "1.0", "all", (RivalAnswer(sick, True, ("spike",)),))
    absent = Rival("other", "2.0", "all", absent="not installed")
    _, _, *rows = rivals.table(runs, [asked, absent])

    assert [run.program for run in runs] == ["sick", "fine"]
    assert rows[0].startswith("| doctor 1.0 | 1 of 2 | 1 of 1 (")
    assert "| 0 of 1 (" in rows[0]
    assert rows[1] == "| other 2.0 | not installed | | |"
