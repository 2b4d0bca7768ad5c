"""Rules about what an update does to the policy."""
