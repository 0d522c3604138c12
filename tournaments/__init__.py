"""What clients of tournaments share: agents under a clock, the player's hooks, and the results."""
