"""What every study that trains needs: an ensemble, its optimizer, its steps on a GPU, its job. With
PyTorch."""
