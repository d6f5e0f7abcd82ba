"""What the results say, in sentences, captions and pages."""
