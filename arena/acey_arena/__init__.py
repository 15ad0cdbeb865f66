"""Players and contests: bots, engine processes, pairings, statistics and reports."""
