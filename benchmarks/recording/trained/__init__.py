"""Small real trainings of each framework, healthy and with a fault.

Each is a function `(folder, adapter, **settings) -> steps`: it trains, leaves the framework's own log
in `folder / "log"`, and hands `adapter` on: a folder, `watch`, `stop_on`, as the adapter takes them.
"""
