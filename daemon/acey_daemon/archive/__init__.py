"""Archives of games: files of any format, size and encoding, read game by game.

The modules, in reading order:

    sources.py    paths, folders, globs, compressed files and standard input to streams of bytes
    documents.py  streams of JSON and MessagePack documents cut into single ones
    units.py      a stream cut into units of work, its format told by its content
    judging.py    a unit to verdicts, in whatever process
    pool.py       units through several processes, in order and in bounded memory
    writing.py    records to a format, and what that format cannot hold
    replaying.py  the games of one file as records, to be shown
"""
