"""Pages of help: how a command is called, what it does, what may stand on its line, examples.

Typer's own pages load a reader of Markdown and one of program text, which takes longer than all the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

INDENT = 2
"""Columns by which what belongs to a heading stands in."""
WIDEST = 120
"""Columns beyond which lines of text are hard to follow."""


def page(command: Any, ctx: Any) -> str:
    """The help of a command or of all of them; it calls things bold where the output can."""
    from rich.padding import Padding

    from multihop.terminal import console

    printer = console.out()
    printer.width = min(printer.width, WIDEST)
    with printer.capture() as text:
        printer.print(f"[bold]Usage:[/bold] {' '.join(_usage(command, ctx))}", soft_wrap=True)
        for paragraph in command.help.split("\n\n"):
            printer.print()
            printer.print(Padding(" ".join(paragraph.split()), (0, 0, 0, INDENT)))
        shown = command.get_params(ctx)
        arguments = [p for p in shown if p.param_type_name == "argument"]
        _table(printer, "Arguments", [(_escaped(_argument(p)), _about(p, ctx)) for p in arguments if p.help])
        _table(printer, "Options", [(_option(p), _about(p, ctx)) for p in shown if p not in arguments])
        commands = {n: one for n, one in getattr(command, "commands", {}).items() if not one.hidden}
        _table(
            printer, "Commands", [(f"[bold]{n}[/bold]", one.help.partition("\n\n")[0]) for n, one in commands.items()]
        )
        _examples(printer, command.epilog)
    return "\n".join(line.rstrip() for line in text.get().splitlines())


def _examples(printer: Any, epilog: str | None) -> None:
    """What stands below: lines to copy stay whole, whatever the width."""
    from rich.padding import Padding

    head, *lines = (epilog or "").strip().split("\n\n")
    printer.print(f"\n{head}" if head else "", end="\n" if head else "")
    for line in lines:
        if line.startswith("multihop "):
            printer.print(" " * INDENT + line, soft_wrap=True)
        else:
            printer.print(Padding(" ".join(line.split()), (0, 0, 0, INDENT)))


def _usage(command: Any, ctx: Any) -> list[str]:
    """The words of a line that calls it."""
    if hasattr(command, "commands"):
        return [ctx.command_path, "COMMAND ..."]
    arguments = [_argument(p) for p in command.params if p.param_type_name == "argument"]
    return [ctx.command_path, *map(_escaped, arguments), r"\[OPTIONS]"]


def _table(printer: Any, heading: str, rows: Sequence[tuple[str, str]]) -> None:
    """Names beside what they mean; below each other where the screen is narrow."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    if not rows:
        return
    printer.print(f"\n[bold]{heading}[/bold]")
    names = max(Text.from_markup(name, emoji=False).cell_len for name, _ in rows)
    if names * 2 > printer.width:
        for name, about in rows:
            printer.print(Padding(name, (0, 0, 0, INDENT)))
            printer.print(Padding(about, (0, 0, 0, 3 * INDENT)))
        return
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, INDENT, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    for name, about in rows:
        table.add_row(name, about)
    printer.print(Padding(table, (0, 0, 0, INDENT)))


def _argument(parameter: Any) -> str:
    """How an argument is called; one that is a choice, by its kind."""
    return str(parameter.metavar or parameter.name.upper())


def _option(parameter: Any) -> str:
    """An option as it is written: the short way first."""
    words = sorted(parameter.opts, key=lambda word: word.startswith("--"))
    value = "" if parameter.is_flag else f" {_escaped(str(parameter.metavar or parameter.name.upper()))}"
    return f"[bold]{', '.join(words)}[/bold]{value}"


def _about(parameter: Any, ctx: Any) -> str:
    """What a parameter means, and its default."""
    default = parameter.get_default(ctx, call=False)
    said = "" if default is None or default is False or not parameter.show_default else f" Default: {default}."
    return " ".join((parameter.help or "").split()) + _escaped(said)


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")
