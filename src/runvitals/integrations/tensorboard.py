"""`SummaryWriter` for scripts that write event files: change the import, and the run is judged too."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from runvitals.integrations.session import AdapterSession, tell_once
from runvitals.readers.tfevents._extras import settings_in_text
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn

_NOT_RECORDED = frozenset(
    "add_image add_images add_image_with_boxes add_figure add_video add_audio add_graph add_onnx_graph "
    "add_embedding add_pr_curve add_pr_curve_raw add_mesh add_tensor add_custom_scalars "
    "add_custom_scalars_multilinechart add_custom_scalars_marginchart".split()
)


class SummaryWriter:
    """Takes the place of `torch.utils.tensorboard.SummaryWriter` and tensorboardX's.

    The run is recorded in `log_dir` itself, with event files for TensorBoard in its folder
    `tensorboard/`; unless this process records a run already, which is then written to. A text named
    `hyperparameters`, `args` or `config` becomes the run's config, and so do `add_hparams`. Images,
    video, audio, graphs and embeddings are accepted and not recorded, which is said once.

    `stop_on` sets `writer.run.should_stop`; everything else is for `runvitals.init`.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
        *,
        logdir: str | os.PathLike[str] | None = None,  # tensorboardX
        run: LiveRun | None = None,
        stop_on: StopOn | None = None,
        **options: Any,
    ) -> None:
        folder = log_dir or logdir
        if folder is None:
            folder = Path("runs") / f"{time.strftime('%b%d_%H-%M-%S')}{comment}"
        where = Path(folder)
        self._session = AdapterSession(
            None, run=run, stop_on=stop_on, joins_adapters=False, **options
        )
        self.run = self._session.begin(
            defaults={
                "folder": where,
                "resume": True,  # a second writer of this folder adds to what is there
                "name": where.name,
                "project": where.absolute().parent.name.replace("runs", "") or None,
            }
        )
        self.log_dir = str(self.run.folder)
        self._counts: defaultdict[str, int] = defaultdict(int)

    def get_logdir(self) -> str:
        """Where the run is."""
        return self.log_dir

    @property
    def logdir(self) -> str:
        """Where the run is; tensorboardX's name for it."""
        return self.log_dir

    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: int | None = None, *_: Any, **__: Any
    ) -> None:
        """Record a number."""
        self.run.log({tag: scalar_value}, step=self._step(tag, global_step))

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        *_: Any,
        **__: Any,
    ) -> None:
        """Record several numbers as `main_tag/name`."""
        named = {f"{main_tag}/{name}": value for name, value in tag_scalar_dict.items()}
        self.run.log(named, step=self._step(main_tag, global_step))

    def add_histogram(
        self, tag: str, values: Any, global_step: int | None = None, *_: Any, **__: Any
    ) -> None:
        """Record the distribution of an array."""
        self.run.log_histogram(tag, values, self._step(tag, global_step))

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, *_: Any, **__: Any
    ) -> None:
        """Record a text; one that holds settings becomes config."""
        self.run.log_text(tag, text_string, self._step(tag, global_step))
        if settings := settings_in_text(tag, str(text_string)):
            self.run.update_config(settings)

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any] | None = None,
        hparam_domain_discrete: Any = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Record settings as config, and the results beside them."""
        self.run.update_config(hparam_dict)
        if metric_dict:
            self.run.log(metric_dict, step=self._step("hparams", global_step))

    def flush(self) -> None:
        """Wait until everything is on disk."""
        self.run.flush()

    def close(self) -> None:
        """End the run, if it began here."""
        self._session.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._session.end("finished" if kind is None else "crashed")

    def __getattr__(self, name: str) -> Any:
        if name in _NOT_RECORDED:
            tell_once(f"runvitals: {name}() is accepted, but not recorded")
            return lambda *_, **__: None
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _step(self, tag: str, step: int | None) -> int:
        """Without a step, the number of values that this name had."""
        if step is not None:
            return step
        self._counts[tag] += 1
        return self._counts[tag] - 1
