"""How far updates move the policy."""
