"""Rules about the record itself: settings, names, steps, and what is missing."""
