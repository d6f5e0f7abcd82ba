"""What is claimed of the needle, judged."""
