"""Rules about the log itself: settings, names, steps, and what is missing."""
