"""What a result is on disk: tables, digests of what they come from, manifest."""
