"""A local tournament server that replaces the course's own, with both protocols."""
