"""What every study that trains needs: an optimizer, checkpoints, options of jobs. With PyTorch."""
