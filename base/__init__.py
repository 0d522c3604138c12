"""What all rooms stand on: parameters, compiled kernels, files."""
