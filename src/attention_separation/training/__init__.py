"""What every study that trains needs: an ensemble, its optimizer, its job. With PyTorch."""
