"""What can be set on a device of today: which technique stands for it, the values worth a try, and the command.

Sources of the commands: `iw` (its help), the OpenWrt wiki on `/etc/config/wireless`, tc(8), tc-flow(8), ip-route(8),
and `ip-sysctl.rst` of Linux. `wlan0`, `phy0` and `radio0` are the first radio.
"""

from __future__ import annotations

from dataclasses import dataclass

ROUTER, HOST = "router", "host"
BOTH = f"{ROUTER} and {HOST}"
CONTENTION, CHANNEL, CONGESTION, ROUTE = "contention", "channel", "congestion", "routing"
"""What a knob may be good against: classes of losses."""


@dataclass(frozen=True, slots=True)
class Knob:
    """One thing that can be set."""

    technique: str
    where: str
    """`router`, `host` or both."""
    device: str
    """The command. `{value}` is the parameter, `{octets}` so many segments in bytes, `{ms}` so many seconds in ms."""
    against: tuple[str, ...]
    """Classes of losses that it may be good against: such knobs are tried first."""
    idle: str
    """Why it may change nothing."""
    ladder: tuple[str, ...] = ()
    """Values of its parameter, from small to large; empty if it has none."""
    first: tuple[str, ...] = ()
    """Those of the ladder that are tried first. The others are tried beside the best of these."""

    def spec(self, value: str = "") -> str:
        """`retries:14`: the technique with this value."""
        return f"{self.technique}:{value}" if value else self.technique

    @property
    def begin(self) -> tuple[str, ...]:
        """The values that are tried first; one empty text if there is no parameter."""
        return self.first or ("",)

    def beside(self, value: str) -> list[str]:
        """The values next to one."""
        if value not in self.ladder:
            return []
        at = self.ladder.index(value)
        return [self.ladder[i] for i in (at - 1, at + 1) if 0 <= i < len(self.ladder)]


KNOBS = (
    Knob(
        "rts-on",
        ROUTER,
        "uci set wireless.radio0.rts=1; uci commit wireless; wifi",
        (CONTENTION,),
        "no frame is long enough for RTS",
    ),
    Knob(
        "rts-off",
        ROUTER,
        "uci delete wireless.radio0.rts; uci commit wireless; wifi",
        (CONTENTION, CHANNEL),
        "no frame is long enough for RTS",
    ),
    Knob(
        "retries",
        ROUTER,
        "iw phy phy0 set retry short {value} long {value}",
        (CHANNEL, CONTENTION),
        "no frame needs that many attempts",
        ("2", "4", "7", "10", "14", "20", "30"),
        ("4", "10", "20"),
    ),
    Knob(
        "queue",
        ROUTER,
        "iw phy phy0 set txq limit {value}",
        (CONGESTION,),
        "no queue is ever that long",
        ("5", "10", "25", "50", "100", "200"),
        ("10", "25", "100"),
    ),
    Knob(
        "drr",
        ROUTER,
        "tc qdisc replace dev wlan0 root handle 1: sfq; "
        "tc filter add dev wlan0 parent 1: handle 1 protocol all flow hash keys dst divisor 1024",
        (CONGESTION, CONTENTION),
        "packets to two destinations never wait in one queue",
    ),
    Knob(
        "red-ecn",
        BOTH,
        "tc qdisc replace dev wlan0 root red limit 75000 min 7500 max 22500 avpkt 1500 burst 9 probability 0.1 ecn; "
        "on the hosts: sysctl -w net.ipv4.tcp_ecn=1",
        (CONGESTION,),
        "no queue is long enough for a mark",
    ),
    Knob(
        "data-rate",
        ROUTER,
        "iw dev wlan0 set bitrates legacy-2.4 {value}",
        (CHANNEL,),
        "no frame is sent at another rate",
        ("1", "2", "5.5", "11"),
        ("1", "2", "5.5", "11"),
    ),
    Knob(
        "arf",
        ROUTER,
        "iw dev wlan0 set bitrates (without a list: the driver chooses each rate; ARF stands for its rate control)",
        (CHANNEL,),
        "no frame is lost twice in a row",
    ),
    Knob(
        "dsdv",
        ROUTER,
        "opkg install babeld (Babel, the protocol of today that comes from DSDV)",
        (ROUTE,),
        "it finds the same paths",
    ),
    Knob(
        "aodv",
        ROUTER,
        "uci set wireless.default_radio0.mode=mesh; uci commit wireless; wifi (802.11s: its HWMP comes from AODV)",
        (ROUTE,),
        "it finds the same paths",
    ),
    Knob(
        "small-window",
        HOST,
        "ip route change default via GATEWAY window {octets} (in the receiving host: {value} segments)",
        (CONTENTION, CONGESTION),
        "the window never gets that large",
        ("1", "2", "3", "4", "6", "8", "12", "16"),
        ("2", "4", "8"),
    ),
    Knob(
        "delayed-ack",
        HOST,
        "ip route change default via GATEWAY quickack 0 (the default of Linux)",
        (CONTENTION,),
        "two segments never arrive within its delay",
    ),
    Knob(
        "sack",
        HOST,
        "sysctl -w net.ipv4.tcp_sack=1",
        (CHANNEL, CONGESTION),
        "two segments of a window are never lost together",
    ),
    Knob(
        "max-rto",
        HOST,
        "sysctl -w net.ipv4.tcp_rto_max_ms={ms} (Linux 6.15 or later)",
        (ROUTE,),
        "no timeout ever grows that long",
        ("1", "2", "4", "8"),
        ("1", "4"),
    ),
    Knob(
        "small-segment",
        HOST,
        "ip route change default via GATEWAY advmss 536",
        (CHANNEL,),
        "segments are as small already",
    ),
)
"""What an operator of OpenWrt routers and Linux hosts can set."""
