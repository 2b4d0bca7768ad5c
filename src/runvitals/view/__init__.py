"""What any page shows of runs, whoever asks: the server over HTTP, or a report in one file."""
