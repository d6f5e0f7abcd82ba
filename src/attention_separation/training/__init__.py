"""What every study that trains needs: an optimizer, checkpoints, a verb's options. With PyTorch."""
