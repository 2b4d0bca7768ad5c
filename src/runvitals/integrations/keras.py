"""Keras: `model.fit(..., callbacks=[RunvitalsCallback()])`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runvitals.integrations.session import Adapter, AdapterSession, needed
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn

keras = needed("keras", install="keras")


class RunvitalsCallback(Adapter, keras.callbacks.Callback):  # type: ignore[name-defined]
    """Records what `fit` reports at the end of each epoch, with the settings of model and optimizer.

    - `stop_on`: "critical" or "warning"; such a finding ends the training.
    - `every_batches`: also record the training metrics every this many batches, which finds trouble
      within an epoch; steps are then batches instead of epochs.
    - `run` and everything else: where to record, see `runvitals.init`.
    """

    def __init__(
        self,
        *,
        run: LiveRun | None = None,
        stop_on: StopOn | None = None,
        every_batches: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._session = AdapterSession(
            "keras", replaces="keras", run=run, stop_on=stop_on, **options
        )
        self._every = every_batches
        self._batches = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin the run."""
        self._batches = 0
        run = self._session.begin(
            settings_of(self.model, self.params), defaults={"project": self.model.name}
        )
        epochs, steps = self.params.get("epochs"), self.params.get("steps")
        total = epochs if self._every is None else epochs and steps and epochs * steps
        if total:
            run.progress(total_steps=int(total))

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Record, if asked for, and end the training if a finding says so."""
        self._batches += 1
        run = self._session.run
        if run is not None and self._every and self._batches % self._every == 0 and logs:
            run.log(logs, step=self._batches)
        if self._session.should_stop:
            self.model.stop_training = True

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Record the epoch."""
        run = self._session.run
        if run is None:
            return
        values = dict(logs or {})
        rate = getattr(getattr(self.model, "optimizer", None), "learning_rate", None)
        if rate is not None and "learning_rate" not in values:
            values["learning_rate"] = float(keras.ops.convert_to_numpy(rate))
        run.log(values, step=epoch + 1 if self._every is None else self._batches)

    def on_train_end(self, logs: Any = None) -> None:
        """End the run, if it began here."""
        self._session.end()


def settings_of(model: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """What the optimizer and `fit` were told, and what the model is."""
    settings: dict[str, Any] = {
        key: params[key] for key in ("epochs", "steps") if params.get(key) is not None
    }
    optimizer = getattr(model, "optimizer", None)
    if optimizer is not None:
        settings["optimizer"] = type(optimizer).__name__
        told = {k: v for k, v in optimizer.get_config().items() if isinstance(v, int | float | str)}
        settings |= {k: v for k, v in told.items() if k != "name"}
        settings["learning_rate"] = float(keras.ops.convert_to_numpy(optimizer.learning_rate))
    loss = getattr(model, "loss", None)
    settings["loss"] = loss if isinstance(loss, str) else getattr(loss, "name", None) or str(loss)
    settings["model"] = {
        "name": model.name,
        "parameters": model.count_params() if model.built else None,
    }
    return settings
