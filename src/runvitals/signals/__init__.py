"""Mathematics on a series: the questions that rules ask, answered so that noise seldom fools them."""
