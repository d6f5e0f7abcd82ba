"""What callers are told: faults of their arguments, warnings once, progress, what to install."""
