"""What a daemon can be told: its settings, with their defaults. docs/operating.md."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from acey_daemon.store import Durability
from acey_protocol.lines import MAX_LINE, MAX_PAYLOAD, Limits

DEFAULT_BIND: Final = "tcp://127.0.0.1:5858"
DEFAULT_EVENTS: Final = "tcp://127.0.0.1:5859"
MAX_PORT: Final = 65535


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a daemon; a TOML file and the options of ``acey serve`` give them."""

    bind: tuple[str, ...] = (DEFAULT_BIND,)
    """Addresses for requests; a TCP port 0 takes a free one."""
    events: tuple[str, ...] = (DEFAULT_EVENTS,)
    """Addresses for subscribers; none switches events off."""
    store: str = "acey.sqlite"
    """The file that holds everything."""
    durability: Durability = "disk"
    """``disk``: acknowledged means on disk; ``process``: it survives a killed daemon only."""
    dice_dir: str = ""
    """The folder where ``dice=file:<name>`` looks; without it there are no scripted dice."""
    curve: str = ""
    """The folder of CURVE keys that ``acey keygen`` makes; without it nothing is encrypted."""
    insecure: bool = False
    """Bind to addresses that other machines can reach although nothing is encrypted."""
    max_line: Annotated[int, Meta(ge=256, le=2**24)] = MAX_LINE
    """Bytes of a request's first line."""
    max_payload: Annotated[int, Meta(ge=0, le=2**30)] = MAX_PAYLOAD
    """Bytes of a payload."""
    max_tables: Annotated[int, Meta(ge=1)] = 100_000
    """Open tables in all; beyond, ``open`` and ``seek`` are refused as busy."""
    max_idle_days: Annotated[int, Meta(ge=0, le=36525)] = 0
    """Days after which a table where nothing has happened is stopped; 0 is never."""
    max_tables_each: Annotated[int, Meta(ge=1)] = 1_000
    """Open tables that one connection has opened."""
    max_waiting_each: Annotated[int, Meta(ge=1)] = 256
    """Requests of one connection that wait for their reply."""
    max_arrived: Annotated[int, Meta(ge=1)] = 64
    """Requests of one connection that are received before the first of them is looked at."""
    requests_per_second: Annotated[int, Meta(ge=0)] = 20_000
    """Requests of one connection, as many at once as in a second; 0 is no limit."""
    max_backlog: Annotated[int, Meta(ge=4096)] = 4 * 1024 * 1024
    """Bytes of replies kept for a connection that does not read them; more are dropped."""
    max_memory: Annotated[int, Meta(ge=0)] = 2 * 1024**3
    """Bytes of memory, beyond which those are cut that fill it; 0 is no limit."""
    metrics: str = ""
    """``<host>:<port>`` of a Prometheus endpoint; empty is none."""
    log_format: Literal["logfmt", "json"] = "logfmt"
    """How a line of the log on standard error is written."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least that is logged."""

    @property
    def limits(self) -> Limits:
        """How long a request may be."""
        return Limits(self.max_line, self.max_payload)


class SettingsError(Exception):
    """A setting that cannot be; the message names it."""


def settings_of(path: Path | None, options: Mapping[str, object]) -> Settings:
    """The settings of a TOML file, with ``options`` put over them. Raises SettingsError."""
    values: dict[str, object] = {}
    if path is not None:
        try:
            values = tomllib.loads(path.read_text("utf-8"))
        except OSError as error:
            raise SettingsError(f"{path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise SettingsError(f"{path}: byte {error.start} is no UTF-8 text") from error
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"{path}: {error}") from error
    try:
        settings = msgspec.convert(values | dict(options), Settings)
    except msgspec.ValidationError as error:
        where = f"{path}: " if path is not None else ""
        raise SettingsError(f"{where}{error}") from error
    if not settings.bind:
        raise SettingsError("bind: at least one address is needed")
    for name in ("bind", "events"):
        for address in getattr(settings, name):
            if not _is_address(address):
                raise SettingsError(
                    f"{name}: {address!r} is no address such as {DEFAULT_BIND} or ipc:///run/acey"
                )
    if settings.metrics and not _is_place(settings.metrics):
        raise SettingsError(f"metrics: {settings.metrics!r} is no <host>:<port>")
    if settings.dice_dir and not Path(settings.dice_dir).is_dir():
        raise SettingsError(f"dice_dir: {settings.dice_dir}: there is no such folder")
    if not Path(settings.store).name:
        raise SettingsError(f"store: {settings.store!r} names no file")
    return settings


def _is_address(address: str) -> bool:
    """Whether ZeroMQ may bind to an address, as far as it can be told by itself."""
    transport, _, place = address.partition("://")
    return _is_place(place) if transport == "tcp" else transport == "ipc" and bool(place)


def _is_place(place: str) -> bool:
    """Whether a text is a host and a port."""
    host, _, port = place.rpartition(":")
    return bool(host) and port.isdecimal() and len(port) <= 5 and int(port) <= MAX_PORT


def toml(settings: Settings) -> str:
    """The settings as a TOML file that says them all."""
    lines = [
        f"{name} = {_toml_value(getattr(settings, name))}" for name in Settings.__struct_fields__
    ]
    return "\n".join(lines)


def _toml_value(value: object) -> str:
    """A value as TOML writes it; its strings and lists are JSON's here."""
    return msgspec.json.encode(value).decode()
