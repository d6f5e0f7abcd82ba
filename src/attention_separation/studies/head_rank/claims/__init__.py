"""The paper's claims and ours, judged on runs and numbers."""
