"""Bytes and text before they mean anything: opening files, numbers, literals, YAML."""
