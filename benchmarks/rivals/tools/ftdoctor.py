"""ftdoctor: a `trainer_state.json` as the Hugging Face trainer would have left it."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.rivals.log import EVAL_LOSS, GRAD_NORM, LEARNING_RATE, LOSS, SUPERVISED, Log, rows

PACKAGE = "ftdoctor==0.1.0"
SCOPE = "supervised fine-tuning and DPO with the Hugging Face trainer"
NEEDS = ("lm/loss", "preference/loss", "rm/loss")
NAMES = {
    "loss": LOSS,
    "learning_rate": LEARNING_RATE,
    "grad_norm": GRAD_NORM,
    "eval_loss": EVAL_LOSS,
    "eval_accuracy": ("eval/lm/token_accuracy", "eval/preference/accuracy", "eval/rm/accuracy"),
}


def in_scope(log: Log) -> bool:
    return log.kind in SUPERVISED


def ask(log: Log) -> list[str]:
    from ftdoctor import diagnose, load
    from ftdoctor.findings import Severity

    history = []
    for row in rows(log.named(NAMES)):
        held_out = {name: row.pop(name) for name in list(row) if name.startswith("eval_")}
        history += [row] if len(row) > 1 else []
        history += [{"step": row["step"], **held_out}] if held_out else []
    steps = max(row["step"] for row in history)
    state = {"global_step": steps, "max_steps": steps, "log_history": history}
    Path("trainer_state.json").write_text(json.dumps(state))
    found = diagnose(load("trainer_state.json"))
    return [one.check for one in found.findings if one.severity >= Severity.WARNING]
