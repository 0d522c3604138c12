"""Who wins, exactly."""
