"""Texts that veRL writes to its folders become samples of the run."""

import json

from runvitals import open_run
from runvitals.integrations.verl import MAX_SAMPLES, _Backend


def test_files_of_each_step_are_taken_with_the_row_after_them(tmp_path):
    folders = {"train": tmp_path / "rollouts", "validation": tmp_path / "checked"}
    options = {"folder": str(tmp_path / "run"), "system": False, "console": False}
    trainer = {
        "rollout_data_dir": str(folders["train"]),
        "validation_data_dir": str(folders["validation"]),
        "runvitals": options,
    }
    backend = _Backend("project", "name", {"trainer": trainer})
    for step in (1, 2, 3):
        for split in ("train", "validation") if step == 3 else ("train",):
            folders[split].mkdir(exist_ok=True)
            row = {"input": "q", "output": f"text of {step}", "score": 1.0, "step": step}
            lines = (json.dumps(row) + "\n") * (MAX_SAMPLES + 5)
            (folders[split] / f"{step}.jsonl").write_text(lines)
        backend.log({"critic/score/mean": 0.1 * step}, step)
    backend.finish()

    read = [(one.step, one.fields["split"]) for one in open_run(tmp_path / "run").samples()]

    assert read == [
        (step, split)
        for step, split in ((1, "train"), (2, "train"), (3, "train"), (3, "validation"))
        for _ in range(MAX_SAMPLES)
    ]
