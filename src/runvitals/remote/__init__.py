"""Runs beyond this machine: shipped into a bucket or a shared folder, and mirrored from there."""
