"""Logs of one run made into one `Run`: which belong together, and whose points count."""
