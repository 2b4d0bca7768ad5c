"""TensorBoard event files, read in bulk."""
