"""`runvitals run`: any training command under observation, from a process beside it."""
