"""What a daemon can be told: its settings, with their defaults. docs/operating.md."""

from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from acey_daemon.store import Durability
from acey_protocol.lines import MAX_LINE, MAX_PAYLOAD, Limits

DEFAULT_BIND: Final = "tcp://127.0.0.1:5858"
DEFAULT_EVENTS: Final = "tcp://127.0.0.1:5859"


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a daemon; a TOML file and the options of ``acey serve`` give them."""

    bind: tuple[str, ...] = (DEFAULT_BIND,)
    """Addresses for requests; a TCP port 0 takes a free one."""
    events: tuple[str, ...] = (DEFAULT_EVENTS,)
    """Addresses for subscribers; none switches events off."""
    store: Path = Path("acey.sqlite")
    """The file that holds everything."""
    durability: Durability = "disk"
    """``disk``: acknowledged means on disk; ``process``: it survives a killed daemon only."""
    dice_dir: Path | None = None
    """Where ``dice=file:<name>`` looks; without it there are no scripted dice."""
    max_line: Annotated[int, Meta(ge=256)] = MAX_LINE
    """Bytes of a request's first line."""
    max_payload: Annotated[int, Meta(ge=0)] = MAX_PAYLOAD
    """Bytes of a payload."""
    max_tables: Annotated[int, Meta(ge=1)] = 100_000
    """Open tables in all; beyond, ``open`` and ``seek`` are refused as busy."""
    max_tables_each: Annotated[int, Meta(ge=1)] = 1_000
    """Open tables that one connection has opened."""
    max_waiting_each: Annotated[int, Meta(ge=1)] = 256
    """Requests of one connection that wait for their reply."""

    @property
    def limits(self) -> Limits:
        """How long a request may be."""
        return Limits(self.max_line, self.max_payload)
