"""A network while files are read: nodes by all their names and addresses, links, and what those run over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from multihop.errors import InputError
from multihop.scenario.cards import Wifi
from multihop.scenario.scenario import nearest
from multihop.text import listing, plural

from . import account as out
from .account import Account, tidy
from .cables import Cables
from .media import Medium, medium
from .modes import Told
from .network import Described, Heard, Losses, Place, Site, Wire, key_of, named
from .radios import MOST_RADIOS, Cells

SILENT = Heard()
HERE = "here"
"""The router that a dump of its own neighbours comes from, if it does not say its name."""

MOST_LINKS = 150_000
MOST_LISTED = 60_000
"""More nodes and links describe no network that can be simulated, even if most of them are offline or tunnels."""


@dataclass(slots=True)
class _Node:
    name: str
    weight: int
    """How much the name says: 0 an address, 1 the name of the file, 2 a name."""
    file: int
    keyed: bool
    at: Place | None = None
    gateway: bool = False
    radio: Heard = SILENT


@dataclass(slots=True)
class _Link:
    ends: tuple[int, int]
    name: str
    losses: Losses
    medium: Medium
    word: str
    radio: Heard = SILENT


class Sketch:
    """What the files read so far say. Nodes that share an address are one; so are those of one name in two files."""

    def __init__(self, cables: Cables = Cables.LEAVE_OUT, wifi: Wifi | None = None) -> None:
        self.account = Account()
        self.kinds: dict[str, None] = {}
        """What the files were read as."""
        self.plane: set[bool] = set()
        """Whether places are in the plane; both, if files differ."""
        self._cables = cables
        self._wifi = wifi
        self._nodes: list[_Node] = []
        self._same: list[int] = []
        self._by_key: dict[str, int] = {}
        self._by_name: dict[str, int] = {}
        self._offline: set[str] = set()
        self._links: list[_Link] = []
        self._told_links = 0
        self.radios = Cells(self.account)
        """Reads what is said of radios."""
        self._file = 0
        self._stem = HERE

    def begin(self, stem: str | None) -> None:
        """Another file is read; `stem` is what its own router is called if the file does not say."""
        self._file += 1
        self._stem = stem or HERE

    def node(
        self,
        name: str,
        keys: Iterable[object] = (),
        at: Place | None = None,
        *,
        gateway: bool = False,
        again: bool = False,
        radio: Heard = SILENT,
    ) -> None:
        """A node that a file lists; `again` if it may list one several times, else each is another."""
        tokens = [token for token in map(key_of, keys) if token]
        index = self._listed(key_of(name), tokens)
        if index is not None and not again and self._nodes[index].file == self._file and self._nodes[index].weight == 2:
            index, tokens = None, [token for token in tokens if token not in self._by_key]
        if index is None:
            index = self._add(_Node(name, 2, self._file, bool(tokens)))
        node = self._nodes[index]
        if node.weight < 2 and name:
            node.name, node.weight = name, 2
        node.at = node.at or at
        node.gateway = node.gateway or gateway
        node.radio = radio if node.radio == SILENT else node.radio
        node.keyed = node.keyed or bool(tokens)
        self._by_name.setdefault(key_of(name), index)
        for token in tokens:
            self._unite(index, self._by_key.setdefault(token, index))

    def here(self, *keys: object, name: str = "") -> str:
        """The router that a dump of its own neighbours comes from, by its addresses; what to call it for `link`."""
        name = name or self._stem
        tokens = [token for token in map(key_of, keys) if token] or [f"\0{self._file}"]
        index = next((self._by_key[token] for token in tokens if token in self._by_key), None)
        if index is None:
            index = self._add(_Node(name, 1, self._file, True))
        root = self._nodes[self._root(index)]
        if root.weight < 1:
            root.name, root.weight = name, 1
        for token in tokens:
            self._unite(index, self._by_key.setdefault(token, index))
        return tokens[0]

    def same(self, keys: Iterable[object]) -> None:
        """Addresses of one node, the main one first."""
        found = [self._find(key, closed=False) for key in keys if key_of(key)]
        for index in found[1:]:
            self._unite(found[0], index)

    def gateway(self, key: object) -> None:
        """A node is a gateway."""
        index = self._find(key, closed=False)
        if index >= 0:
            self._nodes[self._root(index)].gateway = True

    def offline(self, name: str, keys: Iterable[object]) -> None:
        """A node that is left out."""
        self._offline |= {token for token in map(key_of, [name, *keys]) if token}
        self.account.leave_out(out.OFFLINE, name)

    def link(
        self,
        ends: tuple[object, object],
        losses: Losses = (None, None),
        *,
        over: object = None,
        closed: bool = False,
        where: str = "",
        radio: Heard = SILENT,
    ) -> None:
        """A link: its losses there and back, None where they are not told, the word for what it runs over, its radio.

        `closed`: its ends must be nodes that are known by now; else they become nodes.
        """
        self._told_links += 1
        if self._told_links > MOST_LINKS:
            raise InputError(f"it has more than {MOST_LINKS} links: cut it down to the links of one network")
        a, b = (self._find(end, closed=closed) for end in ends)
        if a < 0 or b < 0:
            self._without_end([str(end or "") for end, index in zip(ends, (a, b), strict=True) if index < 0], where)
        elif losses != (None, None) and all(loss is None or loss >= 1 for loss in losses):
            self.account.leave_out(out.TOO_WEAK, "–".join(map(str, ends)))
        else:
            kind = Medium.RADIO if over is None else medium(over)
            word = "" if over is None else str(over)
            self._links.append(_Link((a, b), str(ends[0]), losses, kind, word, radio))

    def unreadable(self, why: str, *, link: bool = False) -> None:
        """A row that says nothing that can be used."""
        self._told_links += link
        self.account.leave_out(out.UNREADABLE, why)

    def described(self) -> Described:
        """The network, once all is read."""
        radio = self._radio_links()
        wires = self._wires(radio)
        roots = self._roots()
        if self._told_links:
            roots = self._linked(roots, wires)
        names = dict(zip(roots, named(self._nodes[i].name for i in roots), strict=True))
        sites = [Site(names[i], self._nodes[i].at) for i in roots]
        known = {key: names[self._root(i)] for key, i in self._by_key.items() if self._root(i) in names}
        gateways = [names[i] for i in roots if self._nodes[i].gateway]
        named_wires = [Wire(names[a], names[b], loss) for a, b, loss in wires]
        linked = [link for link in radio if self._root(link.ends[0]) != self._root(link.ends[1])]
        channels, why = self._by_links(linked, names) if wires else self._by_nodes(names)
        heard = [link.radio for link in linked], [self._nodes[i].radio for i in names]
        told = Told(*heard, channels, why, not wires, self.account)
        kind = listing(self.kinds)
        radio_of = told.radio(self._wifi)
        return Described(sites, named_wires, self.plane == {False}, gateways, known, self.account, kind, radio_of)

    def _by_links(self, links: list[_Link], names: Mapping[int, str]) -> tuple[dict[str, list[int]], str]:
        """The channels of each node, by what its links or itself tell; none if they are one, and the reason if so."""
        found: dict[int, dict[int, None]] = {}
        unsaid: list[_Link] = []
        for link in links:
            a, b = (self._root(end) for end in link.ends)
            ends = {self._nodes[a].radio.channel, self._nodes[b].radio.channel} - {None}
            channel = link.radio.channel or (ends.pop() if len(ends) == 1 else None)
            if channel is None:
                unsaid.append(link)
                continue
            for end in (a, b):
                found.setdefault(end, {})[channel] = None
        if unsaid:
            first = "–".join(tidy(self._name(end), 40) for end in unsaid[0].ends)
            return {}, f"that of {plural(len(unsaid), 'link')} is not known ({first}{', …' if len(unsaid) > 1 else ''})"
        most = max(found, key=lambda i: len(found[i]), default=None)
        if most is not None and len(found[most]) > MOST_RADIOS:
            told = f"node {tidy(self._name(most), 40)} has {len(found[most])}"
            return {}, f"{told}, and a node has at most {MOST_RADIOS} radios"
        return _several({names[i]: list(found[i]) for i in found if i in names}), ""

    def _by_nodes(self, names: Mapping[int, str]) -> tuple[dict[str, list[int]], str]:
        """The channel of each node, as itself tells; none if they are one, and the reason if one is not known."""
        known = {names[i]: self._nodes[i].radio.channel for i in names if self._nodes[i].at is not None}
        unsaid = [name for name, channel in known.items() if channel is None]
        if unsaid:
            first = f"{tidy(unsaid[0], 40)}{', …' if len(unsaid) > 1 else ''}"
            return {}, f"that of {plural(len(unsaid), 'node')} is not known ({first})"
        channels = _several({name: [channel] for name, channel in known.items() if channel is not None})
        count = Counter(known.values())
        for name in channels:
            if count[known[name]] == 1:
                self.account.assume(f"node {tidy(name, 40)} is alone on channel {known[name]}")
        return channels, ""

    def _radio_links(self) -> list[_Link]:
        """Links that are radio; the others are counted, or their ends joined."""
        said = any(link.word and link.medium is Medium.RADIO for link in self._links)
        others = sum(link.medium is Medium.OTHER for link in self._links)
        guessed: set[str] = set()
        radio, taken = [], 0
        for link in self._links:
            kind = link.medium
            if kind is Medium.OTHER:
                kind = Medium.CABLE if said else Medium.RADIO
            if kind is Medium.UNKNOWN:
                guessed.add(tidy(link.word, 40))
            if kind is Medium.TUNNEL:
                self.account.leave_out(out.TUNNEL)
            elif kind is Medium.CABLE and self._cables is Cables.LEAVE_OUT:
                self.account.leave_out(out.CABLE, "–".join(self._name(end) for end in link.ends))
            elif kind is Medium.CABLE and self._cables is Cables.JOIN:
                self.account.leave_out(out.JOINED, "–".join(self._name(end) for end in link.ends))
                self._unite(*link.ends)
            else:
                taken += kind is Medium.CABLE
                radio.append(link)
        if taken:
            self.account.assume(plural(taken, "cable is a radio link", "cables are radio links"))
        self._say_media(others, said, guessed)
        return radio

    def _say_media(self, others: int, said: bool, guessed: set[str]) -> None:
        if others and said:
            self.account.assume(f"links of the type `other` ({others}) are cables")
        elif others:
            links = plural(others, "link")
            self.account.assume(f"no link is called wifi, so {links} of the type `other` are taken for radio")
        bands = {tidy(link.word, 20): None for link in self._links if "ghz" in link.word[-4:].lower()}
        if len(bands) > 1:
            words = listing([*list(bands)[:4], *(["others"] if len(bands) > 4 else [])])
            self.account.assume(f"all links share one channel, not {words}")
        for word in sorted(guessed)[: out.SHOWN]:
            self.account.assume(f"links over `{word}` are taken for radio")

    def _wires(self, radio: list[_Link]) -> list[tuple[int, int, float]]:
        wires, unmeasured = [], 0
        for link in radio:
            a, b = (self._root(end) for end in link.ends)
            if a == b:
                self.account.leave_out(out.TO_ITSELF, link.name)
                continue
            there, back = link.losses
            if there is None and back is None:
                unmeasured += 1
                there = 0.0
            wires += [(a, b, there)] if there is not None else []
            wires += [(b, a, back)] if back is not None else []
        if radio and unmeasured == len(radio):
            self.account.assume("no loss is known, so all links are without loss")
        elif unmeasured:
            self.account.assume(f"{plural(unmeasured, 'link')} of unknown loss lose nothing")
        return wires

    def _linked(self, roots: list[int], wires: list[tuple[int, int, float]]) -> list[int]:
        """The nodes with a radio link, if there is any such link."""
        linked = {end for a, b, _ in wires for end in (a, b)}
        if not linked:
            return self._unlinked(roots)
        for i in roots:
            if i not in linked:
                self.account.leave_out(out.UNLINKED, self._nodes[i].name)
        return [i for i in roots if i in linked]

    def _unlinked(self, roots: list[int]) -> list[int]:
        """All nodes, where all links are no radio and places are known; else there is no network."""
        wired = self.account.count(out.CABLE, out.TUNNEL)
        placed = sum(self._nodes[i].at is not None for i in roots)
        if placed < 2 or self.account.count(out.NO_END, out.TO_ITSELF, out.TOO_WEAK, out.UNREADABLE) or not wired:
            raise InputError(f"none of its links can be used: {self.account.left_out()}")
        self.account.assume("no link is radio, so nodes within range of each other are neighbours")
        return roots

    def _without_end(self, lost: list[str], where: str) -> None:
        if any(key_of(end) in self._offline for end in lost):
            self.account.leave_out(out.TO_OFFLINE)
            return
        first = self.account.count(out.NO_END) < out.SHOWN  # later ones are counted only
        guess = nearest(lost[0][:60], [node.name[:60] for node in self._nodes[:2000]]) if first and lost[0] else ""
        end = f"there is no node `{tidy(lost[0], 60)}`{guess}" if lost[0] else "an end is missing"
        self.account.leave_out(out.NO_END, f"{where}: {end}" if where else end)

    def _listed(self, name: str, tokens: list[str]) -> int | None:
        """A node that is known already: by an address, or by its name from another file."""
        for token in tokens:
            if token in self._by_key:
                return self._root(self._by_key[token])
        other = self._by_name.get(name)
        if other is None or self._nodes[other].file == self._file or (tokens and self._nodes[other].keyed):
            return None
        return self._root(other)

    def _find(self, token: object, *, closed: bool) -> int:
        """The node of a name or an address; below 0 if there is none."""
        key = key_of(token)
        index = self._by_key.get(key)
        if index is None:
            index = self._by_name.get(key)
        if index is None and not closed and key:
            index = self._by_key[key] = self._add(_Node(str(token), 0, self._file, True))
        return -1 if index is None else index

    def _add(self, node: _Node) -> int:
        self._nodes.append(node)
        if len(self._nodes) > MOST_LISTED:
            raise InputError(f"it has more than {MOST_LISTED} nodes: cut it down to the nodes of one network")
        self._same.append(len(self._same))
        return len(self._nodes) - 1

    def _root(self, index: int) -> int:
        while self._same[index] != index:
            self._same[index] = self._same[self._same[index]]
            index = self._same[index]
        return index

    def _unite(self, one: int, other: int) -> None:
        """Two nodes become one, with the name that says most and whatever either has."""
        a, b = self._root(one), self._root(other)
        if a == b:
            return
        kept, gone = self._nodes[a], self._nodes[b]
        if gone.weight > kept.weight:
            kept.name, kept.weight = gone.name, gone.weight
        kept.at = kept.at or gone.at
        kept.gateway = kept.gateway or gone.gateway
        kept.radio = gone.radio if kept.radio == SILENT else kept.radio
        self._same[b] = a

    def _roots(self) -> list[int]:
        return [i for i in range(len(self._nodes)) if self._root(i) == i]

    def _name(self, index: int) -> str:
        return self._nodes[self._root(index)].name


def _several(channels: dict[str, list[int]]) -> dict[str, list[int]]:
    """The channels of each node; none if all have the same one."""
    return channels if len({number for numbers in channels.values() for number in numbers}) > 1 else {}
