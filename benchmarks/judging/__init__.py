"""How well and how quickly the rules judge runs whose truth is known."""
