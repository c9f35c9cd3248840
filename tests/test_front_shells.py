"""Tab completion as shells do it: bash, fish and zsh themselves, where they are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Cli

ASKED = {
    "multihop run chain-": {"chain-1hop", "chain-3hop"},
    "multihop compare chain -t none,persist": {"none,persistent-queue"},
    "multihop run tiny.toml --set tcp.max-": {"tcp.max-window", "tcp.max-rto"},
    "multihop run tiny.toml --set tcp.window=t": {"tcp.window=tahoe"},
    "multihop run tiny.toml --csv le": {"ledger"},
    "multihop explain --flow ": {"1", "2"},
    "multihop plot c": {"cwnd", "cdf"},
    "multihop list re": {"records"},
    "multihop inf": {"info"},
    "multihop info small-w": {"small-window"},
    "multihop help mac.short": {"mac.short-retry-limit"},
    "multihop cite persist": {"persistent-queue"},
    "multihop reproduce ohzahata/fig1": {"ohzahata/fig10", "ohzahata/fig11"},
}
"""What stands on the line when TAB is pressed, and words that must be offered."""
BASH = """
source /dev/stdin <<< "$(_MULTIHOP_COMPLETE=source_bash multihop)"
COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
COMP_LINE=$1
read -ra COMP_WORDS <<< "$(sed -E 's/([=:])/ \\1 /g' <<< "$1")"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_multihop_completion multihop
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; stty cols 200 rows 100; LISTMAX=9999; autoload -Uz compinit && compinit -u'
zpty -w shell 'eval "$(_MULTIHOP_COMPLETE=source_zsh multihop)"; print RE""ADY'
heard=
repeat 600; do zpty -r -t shell piece && heard+=$piece; [[ $heard == *READY* ]] && break; sleep 0.05; done
heard=
zpty -w -n shell "$1"$'\\t'
quiet=0
repeat 600; do
  if zpty -r -t shell piece; then heard+=$piece; quiet=0; else sleep 0.05; (( ++quiet )); fi
  (( quiet > 60 )) && break
done
print -r -- $heard
zpty -d shell
"""


@pytest.fixture
def environment(cli: Cli, tiny: str, here: Path) -> dict[str, str]:
    """A command on the path, and a record to name flows of."""
    assert cli("run", tiny, "-n", "1").code == 0
    (here / "bin").mkdir()
    command = here / "bin" / "multihop"
    command.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c 'from multihop.cli import main; main()' \"$@\"\n")
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}", "HOME": str(here), "TERM": "dumb"}


def answered(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", done.stdout)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash(environment: dict[str, str]) -> None:
    for line, expected in ASKED.items():
        found = {*answered(["bash", "--norc", "-c", BASH, "bash", line], environment).split()}
        # of what stands behind `=`, bash wants the last piece
        assert {word.rpartition("=")[2] for word in expected} <= found, line


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish")
def test_fish(environment: dict[str, str]) -> None:
    for line, expected in ASKED.items():
        script = f"_MULTIHOP_COMPLETE=source_fish multihop | source; complete -C '{line}'"
        found = {row.partition("\t")[0] for row in answered(["fish", "-c", script], environment).splitlines()}
        assert expected <= found, line


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh")
@pytest.mark.parametrize("line", list(ASKED)[:4])
def test_zsh(environment: dict[str, str], line: str) -> None:
    found = answered(["zsh", "-f", "-c", ZSH, "zsh", line], environment)
    assert all(word in found for word in ASKED[line]), found
