"""What this paper's jobs depend on."""
