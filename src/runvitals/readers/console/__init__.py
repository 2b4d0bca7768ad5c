"""What training loops print: a reader a framework, and the grammar that they share."""
