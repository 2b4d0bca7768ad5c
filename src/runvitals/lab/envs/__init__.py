"""Small tasks for the lab's trainers, many copies stepped at once."""
