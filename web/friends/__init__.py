"""Games between two people, which the server keeps."""
