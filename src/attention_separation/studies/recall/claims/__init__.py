"""What is claimed of recall, judged."""
