"""Console output of training loops: one reader per framework, and the grammar they share."""
