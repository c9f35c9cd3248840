"""Composes the commands, and turns what goes wrong into one paragraph and an exit code.

Exit codes: 0 done; 1 an emulation that is not valid; 2 bad input, unreadable record, nowhere to write; 128 and the
number of the signal that stopped it, 130 for Ctrl-C; 141, as if SIGPIPE had, where the reader of the output has left. A
command in an emulation that fails gives its own code.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from multihop import _engine
from multihop.cli import (
    advise,
    check,
    cite,
    compare,
    deploy,
    emulate,
    explain,
    export,
    import_,
    info,
    list_,
    new,
    plot,
    query,
    remove,
    report,
    reproduce,
    run,
    shell,
    sweep,
    values,
)
from multihop.cli import help as help_
from multihop.cli.codes import BAD_INPUT, STOPPED, UNREAD
from multihop.cli.said import remember
from multihop.errors import InputError, MultihopError, reason
from multihop.terminal import streams
from multihop.text import shortened

COMMANDS = (
    check,
    run,
    compare,
    sweep,
    advise,
    explain,
    plot,
    query,
    report,
    reproduce,
    emulate,
    shell,
    deploy,
    list_,
    info,
    cite,
    new,
    import_,
    export,
    remove,
)
"""In the order of the help page."""

USAGE: type[Exception] = typer.BadParameter.__bases__[0]
"""What typer raises for a command line that it cannot read; it has no public name of its own."""

HELP = """What will TCP get over these wireless hops, where do its packets die, and which known fix helps?

Start with [bold]multihop run chain[/bold], then [bold]multihop explain[/bold].

Compare fixes with [bold]multihop compare chain -t none,persistent-queue[/bold].

Bring your own network with [bold]multihop import nodes.geojson[/bold], or write it with
[bold]multihop new my.toml[/bold]; look at it with [bold]multihop check my.toml[/bold].
"""


class StoppedError(Exception):
    """Ctrl-C, on its way out of a command: typer would leave without a word."""


class UnreadError(Exception):
    """The reader of the output has left, on its way out of a command: typer would leave with 1."""


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return values.ours(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(help_.page(self, ctx))


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return values.ours(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(help_.page(self, ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-") and not ctx.resilient_parsing:
            from multihop.cli import hints

            said = _joined(f"there is no command `{args[0]}`", hints.command(args[0], self.commands))
            raise InputError(f"{said} (`multihop --help` shows what there is)")
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().make_context(*args, **extra)
        except KeyboardInterrupt as e:
            raise StoppedError(str(e)) from None
        except BrokenPipeError:
            raise UnreadError from None

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # typer's own type is private
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as e:
            raise StoppedError(str(e)) from None
        except BrokenPipeError:
            raise UnreadError from None


def build() -> typer.Typer:
    """The application with all commands."""
    app = typer.Typer(
        name="multihop",
        cls=_Group,
        help=HELP,
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for command in COMMANDS:
        command.register(app)
    app.command(name="version", hidden=True)(_told_version)
    for registered in app.registered_commands:
        registered.cls = _Command
        registered.help = _flowing(inspect.getdoc(registered.callback) or "")
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and leaves the process with its exit code."""
    streams.prepare()
    remember(arguments)
    words = list(arguments) if arguments is not None else None
    try:
        code = build()(words, prog_name="multihop", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except MultihopError as e:
        _complain(str(e))
        sys.exit(BAD_INPUT)
    except USAGE as e:
        _misread(e)
        sys.exit(BAD_INPUT)
    except (StoppedError, KeyboardInterrupt, typer.Abort) as e:
        _complain(str(e) or "stopped")
        sys.exit(STOPPED)
    except (UnreadError, BrokenPipeError):
        sys.exit(UNREAD)  # nothing is wrong
    except OSError as e:
        _complain(f"{e.filename or 'the output'} cannot be written: {reason(e)}")
        sys.exit(BAD_INPUT)
    finally:
        streams.forsake()


def _flowing(text: str) -> str:
    """A docstring without the line breaks inside its paragraphs, which a terminal of another width would keep."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _told_version() -> None:
    """Print the version and the engine's build."""
    _version(True)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"multihop {_engine.VERSION} (engine build {_engine.BUILD})")
        raise typer.Exit


def _options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and the engine's build, and leave.", is_eager=True, callback=_version
        ),
    ] = False,
) -> None:
    """Options of `multihop` itself."""


def _misread(error: Any) -> None:
    """Says what is wrong with the command line, if anything is on it: without a word, the help is printed already."""
    from multihop.cli import hints

    if type(error).__name__ == "NoArgsIsHelpError":
        return
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    said = str(getattr(error, "message", "") or "")
    name = next((o for o in getattr(parameter, "opts", ()) if o.startswith("--")), getattr(parameter, "name", None))
    if said and name:
        said = f"{name}: {said}"
    elif hasattr(error, "format_message"):
        said = str(error.format_message())
    command = context.command_path if context is not None else "multihop"
    option = getattr(error, "option_name", None)
    if context is not None and type(error).__name__ == "NoSuchOption":
        known = [word for parameter in context.command.params for word in parameter.opts]
        said = _joined(f"there is no option {option}", hints.option(str(option), known))
    _complain(f"{said.strip().rstrip('.')} (`{command} --help` shows what there is)")


def _joined(said: str, hint: str) -> str:
    return f"{said}: {hint}" if hint else said


def _complain(message: str) -> None:
    """One paragraph on standard error, if that can be written."""
    from multihop.terminal import console

    with contextlib.suppress(OSError, ValueError):
        console.say(f"multihop: {shortened(message)}", error=True)
        sys.stderr.flush()
