"""The subcommands of ``acey`` that the arena brings; pyproject.toml names them."""
