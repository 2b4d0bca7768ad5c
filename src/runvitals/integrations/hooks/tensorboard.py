"""SummaryWriter of torch and of tensorboardX: scalars, histograms, texts, hyperparameters."""

from __future__ import annotations

import os
import threading
from typing import Any

from runvitals.integrations.hooks._hook import Call, Hook, record, record_config, run_of_process

NAME = "tensorboard"
SPLITS = ("train", "training", "val", "valid", "validation", "eval", "test", "dev")
_folders: dict[str, str] = {}  # the prefix of the names, by log folder
_lock = threading.Lock()


def _scalar(call: Call) -> None:
    if call.inside(NAME):
        return  # `add_hparams` writes its metrics with a writer of its own; they are recorded
    name = f"{_prefix(call.instance)}{call.argument(0, 'tag')}"
    record(call, {name: call.argument(1, "scalar_value")}, call.argument(2, "global_step"))


def _scalars(call: Call) -> None:
    name = f"{_prefix(call.instance)}{call.argument(0, 'main_tag')}"
    values = call.argument(1, "tag_scalar_dict") or {}
    record(call, {f"{name}/{key}": v for key, v in values.items()}, call.argument(2, "global_step"))


def _histogram(call: Call) -> None:
    name = f"{_prefix(call.instance)}{call.argument(0, 'tag')}"
    step = call.argument(2, "global_step")
    run_of_process().log_histogram(name, call.argument(1, "values"), step)


def _text(call: Call) -> None:
    from runvitals.readers.tfevents._extras import settings_in_text

    name, text = str(call.argument(0, "tag")), str(call.argument(1, "text_string"))
    settings = settings_in_text(name, text)
    if settings:
        record_config(call, settings)
    else:
        run_of_process().log_text(name, text, call.argument(2, "global_step"))


def _hparams(call: Call) -> None:
    record_config(call, call.argument(0, "hparam_dict"))
    record(call, call.argument(1, "metric_dict") or {}, call.argument(4, "global_step"))


def _prefix(writer: Any) -> str:
    """What goes before the names of a writer beside others: `val/` for one that writes into `val/`."""
    folder = str(getattr(writer, "log_dir", None) or getattr(writer, "logdir", None) or "")
    known = _folders.get(folder)
    if known is not None:
        return known
    with _lock:
        last = os.path.basename(os.path.normpath(folder))
        apart = last.lower() in SPLITS or bool(_folders)
        prefix = _folders.setdefault(folder, f"{last}/" if apart else "")
        places = [os.path.realpath(one) for one in _folders if one]
    # so that these files are not taken for another run
    run_of_process().learn(recorded_from=places)
    return prefix


HOOKS = (
    Hook(
        NAME,
        "SummaryWriter of torch and tensorboardX",
        "scalars, histograms, texts, hyperparameters",
        {
            f"{module}:SummaryWriter.{method}": see
            for module in ("torch.utils.tensorboard.writer", "tensorboardX.writer")
            for method, see in (
                ("add_scalar", _scalar),
                ("add_scalars", _scalars),
                ("add_histogram", _histogram),
                ("add_text", _text),
                ("add_hparams", _hparams),
            )
        },
    ),
)
