"""Damaged scenarios, overlays, studies and settings: an answer or a sentence, never a traceback, in bounded time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from multihop import _engine
from small_study import CLAIM, READINGS, SMALL, TABLE
from torture.common import call, inside

SECONDS = 20.0
"""No answer takes longer, on a machine that is busy."""
HOSTILE = (
    *("9" * 400, "-1", "1e400", "nan", "inf", '"99999999999 h"', '"1e30 m"', "true", "{}", "[]", "[[]]", '""'),
    *('"\\u0000"', '"\\ud800"', '"' + "x" * 5000 + '"', "[" * 3000, "{a=" * 3000, "a." * 3000, "1979-05-27", "'''"),
)
"""What is put in the place of a value."""
PIECES = (
    "[[flow]]",
    "[run]",
    "=",
    "\n",
    '"',
    "'''",
    "#",
    "\x00",
    "\ufeff",
    "\u202e",
    "flow.0.to = 1\n",
    "\\",
    "]",
    "}",
)
"""What is put anywhere."""


@st.composite
def mangled(draw: st.DrawFn, texts: tuple[str, ...]) -> str:
    """A text with one to four changes: cut, doubled, moved, a value or a piece in a wrong place."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        at, end = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
        kind = draw(st.sampled_from(("cut", "double", "piece", "value", "byte", "lines")))
        if kind == "cut":
            text = text[:at] + text[min(end, at + 40) :]
        elif kind == "double":
            text = text[:end] + text[at : min(end, at + 400)] + text[end:]
        elif kind == "piece":
            text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
        elif kind == "byte" and text:
            text = text[:at] + draw(st.characters(codec="utf-8")) + text[at + 1 :]
        elif kind == "value":
            place = text.find("= ", at)
            if place >= 0:
                rest = text.find("\n", place)
                text = text[: place + 2] + draw(st.sampled_from(HOSTILE)) + text[rest if rest >= 0 else len(text) :]
        else:
            lines = text.splitlines(keepends=True)
            draw(st.randoms(use_true_random=False)).shuffle(lines)
            text = "".join(lines)
    return text


SCENARIOS = tuple(text for name, text in sorted(_engine.shipped("scenarios").items()) if len(text) < 4000)
OVERLAYS = tuple(text for _, text in sorted(_engine.shipped("techniques").items()) if len(text) < 2000)
STUDIES = (SMALL + CLAIM, SMALL + READINGS, SMALL + TABLE)

CALM = settings(
    deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def answered(*words: str) -> None:
    begun = time.monotonic()
    code, out, err = call(words)
    said = f"{words}: code {code}: {err[:2000]}"
    assert code in (0, 2), said
    assert "Traceback" not in err, said
    if code == 2:
        assert (out, len(err.strip().splitlines())) == ("", 1), said
        assert len(err) < 4000, said
    assert time.monotonic() - begun < SECONDS, said


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files are written."""
    return tmp_path_factory.mktemp("mangled")


@CALM
@given(text=mangled(SCENARIOS))
def test_a_mangled_scenario(folder: Path, text: str) -> None:
    with inside(folder):
        Path("x.toml").write_text(text, encoding="utf-8", errors="replace")
        answered("check", "x.toml")


@CALM
@given(text=mangled(OVERLAYS))
def test_a_mangled_technique(folder: Path, text: str) -> None:
    with inside(folder):
        Path("y.toml").write_text(text, encoding="utf-8", errors="replace")
        answered("check", "chain", "-t", "y.toml")


@CALM
@given(text=mangled(STUDIES))
def test_a_mangled_study(folder: Path, text: str) -> None:
    with inside(folder):
        Path("z.toml").write_text(text, encoding="utf-8", errors="replace")
        # a part that is not there: everything is read and nothing is run
        answered("reproduce", "z.toml/no-such-part", "--quick")


@CALM
@given(
    path=st.one_of(st.sampled_from(("tcp.max-window", "flow.1.to", "run.duration", "a.b", "flow", "")), st.text()),
    value=st.one_of(st.sampled_from(HOSTILE), st.text(max_size=40)),
)
def test_a_mangled_setting(folder: Path, path: str, value: str) -> None:
    with inside(folder):
        answered("check", "chain", f"--set={path}={value}".replace("\0", "?"))


@pytest.mark.parametrize(
    "text", ["x=" + "[" * 200_000, "x=" + "{a=" * 100_000, "a." * 100_000 + "a=1", "x=1\n" * 200_000]
)
@pytest.mark.parametrize("command", ["check", "technique", "study", "set"])
def test_deep_and_long_texts_are_refused_at_once(tmp_path: Path, text: str, command: str) -> None:
    with inside(tmp_path):
        Path("deep.toml").write_text(text, encoding="utf-8")
        words = {
            "check": ("check", "deep.toml"),
            "technique": ("check", "chain", "-t", "./deep.toml"),
            "study": ("reproduce", "deep.toml"),
            "set": ("check", "chain", "--set", text[:100_000]),
        }
        answered(*words[command])


def test_a_long_error_is_a_paragraph() -> None:
    code, _, err = call(("check", "chain", "--set", "tcp.max-window=" + "9 " * 5000 + "x" * 5000))
    assert code == 2
    assert len(err) < 3100
    assert "…" in err
    assert err.startswith("multihop: --set tcp.max-window=")
