"""runvitals: the instrument panel and the doctor of a training run.

>>> import runvitals as rv
>>> with rv.init(project="cartpole", config={"lr": 3e-4}) as run:      # doctest: +SKIP
...     run.log({"outcome/return_mean": 21.0}, step=0)
"""

from typing import TYPE_CHECKING

from runvitals.display import draw_with
from runvitals.lazy_names import lazy_names

if TYPE_CHECKING:
    from runvitals.api import (
        Ema,
        EpochTracker,
        LiveRun,
        SpeedMeter,
        Window,
        finish,
        init,
        judge,
        log,
        open_run,
        open_runs,
        tree_vitals,
        watch,
    )
    from runvitals.integrations.session import capture
    from runvitals.model import (
        FindingChange,
        Run,
        RunvitalsError,
        RunvitalsWarning,
        Series,
        StopTraining,
    )
    from runvitals.render.show import show

__version__ = "0.1.0"
__all__ = [
    "Ema",
    "EpochTracker",
    "FindingChange",
    "LiveRun",
    "Run",
    "RunvitalsError",
    "RunvitalsWarning",
    "Series",
    "SpeedMeter",
    "StopTraining",
    "Window",
    "capture",
    "finish",
    "init",
    "judge",
    "log",
    "open_run",
    "open_runs",
    "show",
    "tree_vitals",
    "watch",
]
_HOMES = {
    **dict.fromkeys(__all__, "api"),
    **dict.fromkeys(
        ("FindingChange", "Run", "RunvitalsError", "RunvitalsWarning", "Series", "StopTraining"),
        "model",
    ),
    "capture": "integrations.session",
    "show": "render.show",
}
__getattr__ = lazy_names(__name__, _HOMES)  # so `runvitals --help` does not wait for NumPy


def _drawn(thing: object) -> str:
    from runvitals.render.notebook import html

    return html(thing)


draw_with(_drawn)


def __dir__() -> list[str]:
    return sorted(__all__)
