"""The legal-play generator in use: the compiled kernel, or the reference where there is none."""

from acey_rules import plays

NAME = "reference"
"""Which generator serves: ``kernel`` or ``reference``."""

legal_plays = plays.legal_plays
"""Each distinct resulting position once, in canonical order; see ``plays.legal_plays``."""
