"""The health of the network."""
