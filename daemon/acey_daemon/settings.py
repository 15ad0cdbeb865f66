"""What a daemon can be told: its settings, with their defaults. docs/operating.md."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, structs

from acey_daemon.settings_words import shown, unknown_setting, wrong_value
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
    """How a line of the log on standard error is written: ``logfmt`` or ``json``."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least that is logged: ``debug``, ``info``, ``warning`` or ``error``."""

    @property
    def limits(self) -> Limits:
        """How long a request may be."""
        return Limits(self.max_line, self.max_payload)


class SettingsError(Exception):
    """A setting that cannot be; the message names it."""


def settings_of(path: Path | None, options: Mapping[str, object]) -> Settings:
    """The settings of a TOML file, with ``options`` put over them.

    Raises SettingsError, which names the file where the setting at fault came from it.
    """
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
    values |= options
    for name, fault in _faults(values):
        where = f"{path}: " if path is not None and name not in options else ""
        raise SettingsError(f"{where}{fault}")
    return msgspec.convert(values, Settings)


def _faults(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """What is wrong with settings: the name of each, and what it is."""
    fields = {field.name: field for field in structs.fields(Settings)}
    for name, value in values.items():
        if name not in fields:
            yield name, unknown_setting(name, fields)
            continue
        field = fields[name]
        try:
            found = msgspec.convert(value, field.type)
        except msgspec.ValidationError:
            yield name, wrong_value(name, value, field.type, field.default)
            continue
        fault = _fault(name, found)
        if fault:
            yield name, f"{name}: {fault}"


def _fault(name: str, value: Any) -> str:
    """Why a value of the right type cannot be; empty when it can."""
    match name:
        case "bind" if not value:
            return "at least one address is needed"
        case "bind" | "events":
            return next((_no_address(each) for each in value if not _is_address(each)), "")
        case "metrics" if value and not _is_place(value):
            return f"{value!r} is no <host>:<port>"
        case "dice_dir" if value:
            return _no_folder(value)
        case "store" if not Path(value).name or "\0" in value:
            return f"{shown(value)} names no file"
        case _:
            return ""


def _no_folder(path: str) -> str:
    """Why a path is no folder; empty when it is one."""
    try:
        return "" if Path(path).is_dir() else f"{path}: there is no such folder"
    except OSError as error:  # a name that is too long, a folder that may not be looked into
        return f"{shown(path)}: {error.strerror}"


def _no_address(address: str) -> str:
    return f"{address!r} is no address such as {DEFAULT_BIND} or ipc:///run/acey"


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
