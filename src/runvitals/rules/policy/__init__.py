"""What an update does to the policy."""
