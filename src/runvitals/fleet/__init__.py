"""Many runs at once: judged on all cores, verdicts kept with the runs, questions about all of them."""
