"""Rules about the health of the network."""
