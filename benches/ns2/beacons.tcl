# Who hears whom in ns-2.35 while nodes move: every node in turn broadcasts a beacon, alone on the air.
#
#   ns beacons.tcl rwp50_101.tcl 50 1500 300 0.5 > trace
#
# Arguments: motion file, nodes, width, height, seconds between beacons. The MAC's trace goes to standard output: a
# line `s` for each beacon, and a line `r` for each node that decodes it.

lassign $argv motion nodes width height interval
Agent/MessagePassing instproc recv {args} {}

set ns_ [new Simulator]
$ns_ trace-all stdout
set topo [new Topography]
$topo load_flatgrid $width $height
set god_ [create-god $nodes]
$ns_ node-config -adhocRouting DumbAgent -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo \
    -agentTrace OFF -routerTrace OFF -macTrace ON -movementTrace OFF
for {set i 0} {$i < $nodes} {incr i} {
    set node_($i) [$ns_ node]
    $node_($i) random-motion 0
}
source $motion
for {set i 0} {$i < $nodes} {incr i} {
    set agent($i) [new Agent/MessagePassing]
    $node_($i) attach $agent($i) 42
}
for {set n 0} {$n * $interval < 199} {incr n} {
    $ns_ at [expr {1 + $n * $interval}] "$agent([expr {$n % $nodes}]) sendto 50 beacon -1 42"
}
$ns_ at 200 { $ns_ flush-trace; flush stdout; exit 0 }
$ns_ run
