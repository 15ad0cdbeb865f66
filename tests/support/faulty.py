"""``acey`` with a fault made on purpose: what is asked to be shown raises instead."""

from acey_daemon import cli, oracle
from acey_daemon.answering import Call, Outcome


def _fault(call: Call) -> Outcome:
    raise ZeroDivisionError(call.request.verb)


if __name__ == "__main__":
    oracle._show = _fault
    cli.main()
