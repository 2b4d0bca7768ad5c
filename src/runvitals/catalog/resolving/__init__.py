"""From the names that a log has to what they mean."""
