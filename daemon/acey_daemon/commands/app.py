"""The command line as typer sees it: commands found lazily, errors as one line."""

from collections.abc import Sequence
from difflib import get_close_matches
from inspect import cleandoc
from typing import Any, Final

import typer
from rich.console import Console
from rich.table import Table
from typer.core import TyperCommand, TyperGroup, TyperOption

from acey_daemon import cli, commands
from acey_daemon.commands.console import CommandError, note, number_fault
from acey_rules import PositionError, RulesError

CLOSING: Final = (
    "`acey COMMAND --help` says more of a command and gives examples; `acey --version` says which "
    "version this is; `acey --install-completion` teaches your shell commands and options."
)
LONG_TEXT: Final = 20


def run(arguments: Sequence[str]) -> int:
    """Run a subcommand and return the exit status. Raises only what is a fault of ours."""
    try:
        status = _application().main(list(arguments), prog_name="acey", standalone_mode=False)
    except CommandError as error:
        note(f"{error.command}: {error}")
        return error.status
    except PositionError as error:
        note(f"acey: bad position: {error}")
        return cli.BAD_INPUT
    except RulesError as error:
        note(f"acey: {error}")
        return cli.BAD_INPUT
    except typer.Abort:
        return cli.INTERRUPTED
    except typer.TyperException as error:
        note(_usage_error(error))
        return cli.USAGE
    except UnicodeEncodeError:
        bad = next((word for word in arguments if not _is_text(word)), None)
        if bad is None:
            raise
        note(f"acey: {bad!a}: some of its bytes are no text in UTF-8")
        return cli.USAGE
    return status if isinstance(status, int) else cli.GOOD


def _is_text(word: str) -> bool:
    """Whether an argument was text; bytes that were none arrive as lone surrogates."""
    return not any("\ud800" <= letter <= "\udfff" for letter in word)


def _usage_error(error: typer.TyperException) -> str:
    """A usage error as one line: which command, what is wrong, where to read more."""
    context = getattr(error, "ctx", None)
    path: str = context.command_path if context is not None else "acey"
    error.message = number_fault(error) or error.message
    words = " ".join(error.format_message().split()).rstrip(".")
    words = words.replace("Value error, ", "")
    return f"{path}: {words[:1].lower()}{words[1:]} (see {path} --help)"


def _application() -> "Group":
    group = Group(name="acey", help="The referee of Acey-Deucey, the backgammon of the U.S. Navy.")
    shell = typer.Typer(add_completion=True)
    shell.command()(_nothing)
    # The two options that install and show shell completion are typer's own.
    group.params += [
        param
        for param in typer.main.get_command(shell).params
        if param.name in ("install_completion", "show_completion")
    ]
    return group


def _nothing() -> None:
    """Do nothing; carries typer's own options."""


class Command(TyperCommand):
    """A command that takes text with leading dashes, as position lines are, for what it is."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put all but options after ``--``, where position lines cannot be taken for options."""
        valued = {
            name
            for param in self.params
            if isinstance(param, TyperOption) and not param.is_flag
            for name in param.opts
        }
        options: list[str] = []
        texts: list[str] = []
        rest = list(args)
        while rest and rest[0] != "--":
            word = rest.pop(0)
            if not word.startswith("-") or word == "-" or _is_dashed_text(word):
                texts.append(word)
            elif word in valued and not rest:
                path: str = ctx.command_path
                raise CommandError(
                    f"option '{word}' needs a value (see {path} --help)", command=path
                )
            else:
                options += [word, *(rest[:1] if word in valued else [])]
                del rest[: word in valued]
        return super().parse_args(ctx, [*options, "--", *texts, *rest[1:]])


def _is_dashed_text(word: str) -> bool:
    """Whether a word that starts with a dash is text, most likely a position line."""
    return word.startswith("-") and "=" not in word and (":" in word or len(word) > LONG_TEXT)


class Group(TyperGroup):
    """The commands of ``acey``, or of one of its groups, found by name when they are needed."""

    def __init__(self, *, name: str, help: str, prefix: str = "") -> None:
        """``prefix`` is what the names of the group's commands start with: ``bench.``."""
        super().__init__(name=name, help=help)
        self.prefix = prefix

    def summaries(self) -> dict[str, str]:
        """The commands of this group, each with a line on what it does."""
        found: dict[str, str] = {}
        for full_name, command in commands.all_commands().items():
            if full_name.startswith(self.prefix):
                name, dot, _ = full_name.removeprefix(self.prefix).partition(".")
                summary = commands.GROUPS.get(name, "") if dot else command.summary
                found[name] = summary or _first_line(command)
        return found

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order they are listed."""
        del ctx
        return list(self.summaries())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, its module imported now; None when there is none."""
        del ctx
        command = commands.find(f"{self.prefix}{cmd_name}")
        if command is not None:
            return _build(cmd_name, command.load())
        prefix = f"{self.prefix}{cmd_name}."
        if any(name.startswith(prefix) for name in commands.all_commands()):
            return Group(name=cmd_name, help=commands.GROUPS.get(cmd_name, ""), prefix=prefix)
        return None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command of the first word. Raises CommandError when there is none."""
        name, *rest = args
        command = self.get_command(ctx, name)
        if command is None:
            close = get_close_matches(name, self.summaries(), n=1)
            hint = f"did you mean {close[0]}?" if close else f"see {ctx.command_path} --help"
            raise CommandError(f"there is no command {ctx.command_path} {name}; {hint}")
        return name, command, rest

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Show the help when nothing else is asked for."""
        if not args and not ctx.resilient_parsing:
            note(ctx.get_help())
            raise typer.Exit(cli.USAGE)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The list of commands, written without importing them."""
        table = Table.grid(padding=(0, 2))
        for name, summary in self.summaries().items():
            table.add_row(f"  [bold]{name}[/bold]", summary)
        console = Console()
        with console.capture() as written:
            console.print(f"Usage: {ctx.command_path} [OPTIONS] COMMAND …\n\n{self.help}\n")
            console.print(table)
            if not self.prefix:
                console.print(f"\n{CLOSING}", highlight=False)
        lines = [line.rstrip() for line in written.get().splitlines()]
        formatter.write("\n".join([*lines, ""]))


def _first_line(command: commands.Command) -> str:
    loaded = command.load()
    if isinstance(loaded, typer.Typer):
        return str(loaded.info.help or "").partition("\n")[0]
    return (loaded.__doc__ or "").partition("\n")[0]


def _build(name: str, loaded: Any) -> Any:
    """The typer command of a function, or of a whole application."""
    if isinstance(loaded, typer.Typer):
        return typer.main.get_command(loaded)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=Command, help=_help_text(loaded.__doc__ or ""))(loaded)
    return typer.main.get_command(alone)


def _help_text(docstring: str) -> str:
    """A docstring as help: paragraphs are wrapped, indented ones (examples) stay as they are."""
    paragraphs = cleandoc(docstring).split("\n\n")
    return "\n\n".join(f"\b\n{text}" if text.startswith(" ") else text for text in paragraphs)
