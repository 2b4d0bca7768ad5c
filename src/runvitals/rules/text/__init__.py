"""Rules about what a model wrote."""
