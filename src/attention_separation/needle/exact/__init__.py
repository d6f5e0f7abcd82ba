"""What one query of attention can do at best, computed without simulation or training."""
