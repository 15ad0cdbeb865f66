"""What ``acey_protocol`` itself offers."""

import subprocess
import sys

import pytest

import acey_protocol
from acey_protocol.client import Client


def test_the_client_is_offered_by_the_package() -> None:
    assert acey_protocol.Client is Client


def test_no_other_name_is_made_up() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Server'"):
        getattr(acey_protocol, "Server")  # noqa: B009 - the name is not there


def test_records_are_read_without_zeromq() -> None:
    code = "import sys, acey_protocol.records, acey_protocol.lines; print('zmq' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"
