"""Damaged files of every kind that is read: a scenario or one sentence, never a traceback, and in little memory."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from import_samples import LINKS, PLACES
from multihop.errors import InputError
from multihop.importing.cables import Cables
from multihop.importing.read import read_all
from multihop.importing.write import scenario_of

SAMPLES = {**{name: text for name, (text, _) in LINKS.items()}, **{name: text for name, (text, _) in PLACES.items()}}
SECONDS = float(os.environ.get("MULTIHOP_FUZZ_SECONDS", "1"))
"""Time for each kind; a minute is a good one before a release."""
ODD = [
    "",
    "0",
    "-1",
    "1e308",
    "1e999",
    "NaN",
    "9" * 400,
    "9" * 5000,
    "null",
    "true",
    "[]",
    "{}",
    '"',
    "\\",
    "\0",
    "\ud800",
]
ODD += [
    "\u202e",
    "\x7f",
    "\x1b[31m",
    "<!DOCTYPE x [<!ENTITY a 'b'>]>",
    "[" * 2000,
    '{"a":' * 2000,
    "🚲",
    "\r\n",
    ";",
    ",",
    "\t",
]
VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    10**400,
    1e308,
    float("inf"),
    "",
    "x" * 200_000,
    "\ud800",
    [],
    {},
    [[]],
    [1, 2],
    {"a": 1},
]
VALUES += [[None], {"": None}, "10 %", "−3 dB", 2**63, "a\nb", "\x7f"]


def damaged(text: str, draw: random.Random) -> str:
    """The text with some parts cut, doubled, moved or replaced."""
    for _ in range(draw.randint(1, 6)):
        a = draw.randrange(len(text) + 1)
        b = min(len(text), a + draw.choice((0, 1, 2, 5, 20, 200)))
        part = draw.choice((*ODD, text[a:b] * 2, text[: draw.randrange(40)], chr(draw.randrange(0x250))))
        text = text[:a] + part + text[b:]
    return text


def grafted(tree: Any, draw: random.Random) -> Any:
    """The JSON with some values replaced, taken away or put elsewhere."""
    places: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key, value in list(node.items()) if isinstance(node, dict) else list(enumerate(node)):
            places.append((node, key))
            if isinstance(value, dict | list):
                walk(value)

    walk(tree)
    for _ in range(draw.randint(1, 4)):
        node, key = draw.choice(places)
        try:
            if isinstance(node, dict) and draw.random() < 0.3:
                node.pop(key, None)
            else:
                other, there = draw.choice(places)
                node[key] = draw.choice((*VALUES, json.loads(json.dumps(other[there]))))
        except (KeyError, IndexError, ValueError):
            continue
    return tree


def outcome(paths: list[Path], cables: Cables = Cables.LEAVE_OUT) -> str:
    """What comes of files: a scenario that the engine takes, or a sentence."""
    try:
        made = scenario_of(read_all(paths, cables), paths[0].name, range_m=250)
    except InputError as e:
        said = str(e)
        assert paths[0].name in said
        assert "imported.toml" not in said
        assert len(said) < 4000
        return said
    assert made.summary
    assert "\n" not in made.summary
    made.text.encode("utf-8")
    return made.summary


@pytest.mark.parametrize("name", SAMPLES)
def test_no_damage_to_a_file_makes_a_traceback(here: Path, name: str) -> None:
    begin, draw = time.process_time(), random.Random(name)  # noqa: S311  # no secret
    path, other = here / name, here / "other.csv"
    other.write_text("from,to,loss\nhere,gateway,0.1\ngateway,church,0.2\n", encoding="utf-8")
    makers: list[Callable[[], str]] = [lambda: damaged(SAMPLES[name], draw)]
    if name.endswith("json"):
        try:
            json.loads(SAMPLES[name])
            makers.append(lambda: json.dumps(grafted(json.loads(SAMPLES[name]), draw)))
        except ValueError:
            pass
    count = 0
    while time.process_time() - begin < SECONDS:
        text = draw.choice(makers)()
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        outcome([path, other] if draw.random() < 0.2 else [path], draw.choice(list(Cables)))
        count += 1
    assert count > 20


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=400) | st.text(max_size=400).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_make_a_traceback(here: Path, data: bytes) -> None:
    (here / "any.dat").write_bytes(data)
    outcome([here / "any.dat"])


BIG = "9" * 400
POINT = '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":%s},"geometry":%s}]}'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (POINT % ('"a"', f'{{"type":"Point","coordinates":[{BIG},1]}}'), "a point needs two numbers"),
        (
            f'{{"nodes":[{{"nodeinfo":{{"hostname":"a","location":{{"latitude":{BIG},"longitude":1}}}}}}]}}',
            "0 nodes with a place",
        ),
        (
            f'{{"type":"NetworkGraph","nodes":[],"links":[{{"source":"a","target":"b","cost":{BIG}}}]}}',
            "`cost` must be a number",
        ),
        (
            f'{{"vis":[{{"neighbors":[{{"router":"a","neighbor":"b","metric":"{"9" * 5000}"}}]}}]}}',
            "`metric` must be a number",
        ),
        ("[" * 100_000, "nest too deep"),
        ('{"a":' * 100_000, "nest too deep"),
        (POINT % ('"\\ud800"', '{"type":"Point","coordinates":[8,47]}'), "1 node with a place"),
        ("name,lat,lon\n" + "a" * 200_000 + ",47,8\n", "field larger than field limit"),
        (
            f"[B.A.T.M.A.N. adv\n * 02:00:00:00:00:02 0.1s ({'9' * 5000}) 02:00:00:00:00:02 [mesh0]\n",
            "no line of it is a neighbour",
        ),
        (f"add neighbour 1 address fe80::1 if wlan0 rxcost {'9' * 5000} txcost 256\n", "begins with `add neighbour`"),
    ],
)
def test_odd_values_are_explained(here: Path, text: str, words: str) -> None:
    (here / "odd.txt").write_text(text, encoding="utf-8")
    assert words in outcome([here / "odd.txt"])


def many(name: str) -> bytes:
    """A file of 10 MB that is made to cost much."""
    size = 10_000_000
    if name == "just-few-enough.json":
        return b'{"nodes":[' + b'{"a":{}},' * 260_000 + b"{}]}"
    if name == "points.geojson":
        one = '{"type":"Feature","properties":{"name":"a"},"geometry":{"type":"Point","coordinates":[8.1,47.1]}},'
        return ('{"type":"FeatureCollection","features":[' + (one * (size // len(one)))[:-1] + "]}").encode()
    if name == "names.geojson":
        feature = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [8.0, 47.0]}}
        line = {"type": "Feature", "geometry": {"type": "LineString", "coordinates": []}}
        points = [feature | {"properties": {"name": "a" * 900_000 + str(i)}} for i in range(5)]
        lines = [line | {"properties": {"from": "a" * 900_000 + "b" + str(i), "to": "c"}} for i in range(5)]
        return json.dumps({"type": "FeatureCollection", "features": points + lines}).encode()
    unit = {
        "braces.json": b"[{},",
        "lists.json": b'{"nodes":[[],',
        "deep.json": b"[",
        "keys.json": b'{"a":1,',
        "rows.csv": b"a,b\n",
        "commas.csv": b",",
        "quote.csv": b'a,b\n"',
        "same.csv": b"x,47.1,8.1\n",
        "deep.kml": b"<a>",
        "marks.kml": b"<Placemark><name>a</name><Point><coordinates>8,47</coordinates></Point></Placemark>",
        "words.txt": b"add neighbour ",
        "edges.dot": b'"a" -> "b" ',
        "originators.txt": b" * 02:00:00:00:00:02 0.1s (204) 02:00:00:00:00:02 [mesh0]\n",
        "spaces.txt": b" " * 399 + b"x\n",
        "blanks.txt": b" ",
        "clusters.dot": b"subgraph cluster{",
        "letters.dot": b"a",
        "arrows.dot": b"a -> ",
        "digits.csv": b"9" * 59 + b"x,b\n",
        "stars.txt": "🚲".encode(),
    }[name]
    head = {
        "rows.csv": b"from,to\n",
        "same.csv": b"name,lat,lon\n",
        "marks.kml": b"<kml>",
        "edges.dot": b"digraph {\n",
        "spaces.txt": b"[B.A.T.M.A.N. adv\n",
        "blanks.txt": b"[B.A.T.M.A.N. adv\n",
        "clusters.dot": b"digraph {\n",
        "letters.dot": b"digraph {\n",
        "arrows.dot": b"digraph {\n",
        "digits.csv": b"loss,from,to\n",
        "originators.txt": b"[B.A.T.M.A.N. adv\n",
    }.get(name, b"")
    return head + unit * (size // len(unit))


MEASURED = """
import sys, time
from pathlib import Path
from multihop.errors import InputError
from multihop.importing.read import read
from multihop.importing.write import scenario_of
begin = time.monotonic()
try:
    said = scenario_of(read(Path(sys.argv[1])), sys.argv[1], range_m=250).summary
except InputError as e:
    said = str(e)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024, time.monotonic() - begin, said[:300])
"""


@pytest.mark.parametrize(
    "name",
    [
        *(
            "points.geojson",
            "names.geojson",
            "braces.json",
            "lists.json",
            "deep.json",
            "keys.json",
            "just-few-enough.json",
        ),
        *("rows.csv", "commas.csv", "quote.csv", "same.csv", "digits.csv", "deep.kml", "marks.kml", "words.txt"),
        *("edges.dot", "clusters.dot", "letters.dot", "arrows.dot"),
        *("originators.txt", "spaces.txt", "blanks.txt", "stars.txt"),
    ],
)
def test_ten_megabytes_take_less_than_two_hundred(here: Path, name: str) -> None:
    (here / name).write_bytes(many(name))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(here / name)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    megabytes, seconds, _ = done.stdout.split(" ", 2)
    assert int(megabytes) < 200, done.stdout
    assert float(seconds) < 30, done.stdout
