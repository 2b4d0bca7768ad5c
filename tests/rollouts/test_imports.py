"""What judges texts costs nothing where there are none."""

import json
import subprocess
import sys

LOOK = """
import sys
from runvitals import init, judge, open_run
run = init(folder=sys.argv[1], system=False, name="plain")
for step in range(40):
    run.log({"reward": step / 40, "loss": 1.0}, step=step)
    if "samples" in sys.argv:
        run.log_samples({"prompt": "p", "completion": "text", "reward": 1.0}, step=step)
run.finish()
judge(open_run(run.folder))
heavy = {"measures", "digest", "series", "gain", "choosing"}
print(sorted(name for name in heavy if f"runvitals.rollouts.{name}" in sys.modules))
"""


def loaded(*arguments):
    done = subprocess.run(
        [sys.executable, "-c", LOOK, *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1].replace("'", '"'))


def test_nothing_that_judges_texts_is_imported_for_a_run_without_samples(tmp_path):
    assert loaded(tmp_path) == []


def test_it_is_imported_once_a_run_has_samples(tmp_path):
    assert loaded(tmp_path, "samples") == ["digest", "gain", "measures", "series"]
