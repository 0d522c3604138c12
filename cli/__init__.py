"""What the commands share: their options, parameters, agents, files, and how they end."""
