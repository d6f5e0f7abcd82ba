"""What a run makes: a folder for each study."""
