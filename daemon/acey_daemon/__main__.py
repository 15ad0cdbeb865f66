"""``python -m acey_daemon``: the command line, where the script ``acey`` is not at hand."""

from acey_daemon.cli import main

if __name__ == "__main__":
    main()
