"""What goes on behind the endpoints: finding, judging and watching runs, and keeping them open."""
