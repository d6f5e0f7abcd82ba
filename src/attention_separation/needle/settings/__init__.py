"""Settings of this study."""
