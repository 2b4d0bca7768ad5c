"""Rules about agents that take several turns."""
