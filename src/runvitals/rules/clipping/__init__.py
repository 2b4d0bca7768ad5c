"""How much of an update is clipped away."""
