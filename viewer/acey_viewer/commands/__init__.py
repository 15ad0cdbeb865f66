"""The subcommands of ``acey`` that draw: show, replay, play and web."""
