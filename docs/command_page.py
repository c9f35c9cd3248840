"""The page of the command line, from what the commands say of themselves."""

from __future__ import annotations

import re
from enum import Enum, EnumType
from typing import Any

import typer.main

from multihop.cli.app import build

CLI_HEAD = """# Command line

`multihop COMMAND --help` says the same. `multihop --install-completion` adds tab completion to your shell: names of
scenarios, techniques and records are completed too.

| exit code | meaning |
|---|---|
| 0 | done |
| 2 | bad input, an unreadable record, nowhere to write: one paragraph on standard error says which |
| 130 | stopped by Ctrl-C: what had finished is kept |
| 141 | the reader of the output has left, like `head`: as if stopped by SIGPIPE, without a word; nothing is wrong |

`$MULTIHOP_HOME` names the folder of the records; without it they are kept in `.multihop` under the working folder."""


def page() -> str:
    """All commands, from the command line itself."""
    group: Any = typer.main.get_command(build())
    parts = [CLI_HEAD]
    for name, command in group.commands.items():
        if command.hidden:
            continue
        paragraphs = _plain(command.help).split("\n\n")
        words = " ".join([*("[OPTIONS]",), *(_argument(p) for p in command.params if p.param_type_name == "argument")])
        lines = [f"## multihop {name}", "", "\n\n".join(line(p) for p in paragraphs)]
        lines += ["", f"```text\nmultihop {name} {words}\n```", "", "| | | |", "|---|---|---|"]
        lines += [_option(parameter) for parameter in command.params if parameter.name != "help"]
        examples = [x.strip() for x in _plain(command.epilog or "").split("\n\n") if x.startswith("multihop ")]
        lines += ["", "Examples:", "", "```sh", *examples, "```"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _argument(parameter: Any) -> str:
    """How an argument is called; one that is a choice shows the words."""
    annotation = parameter.type_descriptor.annotation
    words = [str(one.value) for one in list[Enum](annotation)] if isinstance(annotation, EnumType) else []
    return "|".join(words) or str(parameter.metavar or parameter.name.upper())


def _option(parameter: Any) -> str:
    """One row: how it is written, its value, what it does."""
    if parameter.param_type_name == "argument":
        word, value, flag = f"`{line(_argument(parameter))}`", "", False
    else:
        word = ", ".join(f"`{option}`" for option in parameter.opts)
        flag = parameter.is_flag
        value = "" if flag else f"`{parameter.metavar or parameter.name.upper()}`"
    text = line(_plain(parameter.help or ""))
    if parameter.default is not None and not flag and parameter.show_default:
        text += f" Default: `{parameter.default}`."
    return f"| {word} | {value} | {text} |"


def _plain(text: str) -> str:
    """Help texts carry rich markup; here it is code."""
    return re.sub(r"\[/?bold\]", "`", text).replace("`Examples`", "Examples")


def line(text: str) -> str:
    """One line, safe in a table."""
    return " ".join(text.split()).replace("\\[", "[").replace("\\]", "]").replace("|", "\\|")
