"""What the results say, line by line, and beside each figure in a report."""
