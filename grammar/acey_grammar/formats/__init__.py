"""Readers and writers of foreign game formats, one module per format. spec/formats/.

A reader works in three steps, so that games can be read in parallel and a file of any size in
constant memory: ``split`` cuts the lines of a file into games, ``read`` makes of each a RawGame,
what the file says happened, and ``replay`` carries that out under a rule set. The modules:

    verdict.py    Verdict: what reading one game gives
    raw.py        RawGame: a game as a file tells it, and the lines it is made of
    lines.py      bytes of unknown encoding to lines
    words.py      moves as formats write them, by their small grammars
    direct.py     the legal play that moves written die by die mean
    replay.py     carrying a RawGame out under a rule set
    due.py        the dice of a file against the dice that are due
    recording.py  the record that grows meanwhile
    ending.py     how the game ended, checked against what the file says
    native.py     verdicts on games in our own notation
    telling.py    a record told again as a foreign format tells games
    score.py      the scores of a match, game after game
    registry.py   the formats by name, and which of them a text is
    mat.py, sgf.py, bgammon.py, fibs.py, plain.py   reading one format each
    mat_writer.py, sgf_writer.py, …                 writing it
"""
