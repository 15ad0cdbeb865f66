"""Games as text: the notation, its grammar, its reader and its canonical writer.

The grammar file ``notation.lark`` defines what is accepted; the reader turns text into records with
line and column on every error, and the writer produces canonical text only. Readers and writers of
foreign formats live in ``acey_grammar.formats``, one file each.
"""
