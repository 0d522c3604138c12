"""Online play: agents under a clock, the player's hooks, and the results, for all clients."""
