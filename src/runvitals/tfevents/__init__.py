"""TensorBoard's event files byte by byte: the frame of a record, and events written and read."""
