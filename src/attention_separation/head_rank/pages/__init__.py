"""What the results say, line by line."""
