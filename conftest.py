"""Which modules have no doctests here: adapters of frameworks that are not installed."""

from importlib.util import find_spec

ADAPTERS = {
    "accelerate": "accelerate",
    "keras": "keras",
    "lightning": "lightning",
    "optuna": "optuna",
    "ray_tune": "ray",
    "rllib": "ray",
    "sb3": "stable_baselines3",
    "transformers": "transformers",
}
collect_ignore = [
    f"src/runvitals/integrations/{name}.py"
    for name, package in ADAPTERS.items()
    if find_spec(package) is None
]
