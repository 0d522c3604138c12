"""The ladder, on which nets play each other."""
