"""What is computed without drawing anything at random."""
