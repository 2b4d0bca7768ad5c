"""How random the policy is, and whether it explores."""
