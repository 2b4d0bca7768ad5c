"""Turns log() calls into rows and hands them to its sinks."""
