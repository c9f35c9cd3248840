# TCP over moving nodes in ns-2.35: a motion file in setdest's format, a list of flows, a routing protocol.
#
#   ns motion.tcl motion rwp50_101.tcl flows rwp50_101.flows nodes 50 width 1500 height 300 routing AODV seed 1 trace -
#
# Flows are written `source:destination:start`, with commas between them. Prints `flow INDEX key value` lines at the
# end; bytes count from `from` on. With `trace FILE` (`-` = standard output) the traces of MAC and router go there first.

array set opt {
    motion  ""      flows   ""      nodes   50      width   1500    height  300
    routing AODV    seed    1       from    10      duration 200    trace   ""
    window  40      segment 1460    kind    tcp     rate    0.1Mb   start   ""
}
foreach {key value} $argv {
    if {![info exists opt($key)]} { puts stderr "unknown parameter $key; known: [lsort [array names opt]]"; exit 2 }
    set opt($key) $value
}
# DSR needs a queue of its own: with any other ns-2 crashes.
set queue [expr {$opt(routing) eq "DSR" ? "CMUPriQueue" : "Queue/DropTail/PriQueue"}]
Mac/802_11 set dataRate_ 2Mb
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set RTSThreshold_ 0

set ns_ [new Simulator]
ns-random $opt(seed)
set tracing [expr {$opt(trace) ne "" ? "ON" : "OFF"}]
$ns_ trace-all [expr {$opt(trace) eq "-" ? "stdout" : [open [expr {$opt(trace) ne "" ? $opt(trace) : "/dev/null"}] w]}]
set topo [new Topography]
$topo load_flatgrid $opt(width) $opt(height)
set god_ [create-god $opt(nodes)]
$ns_ node-config -adhocRouting $opt(routing) -llType LL -macType Mac/802_11 -ifqType $queue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo \
    -agentTrace OFF -routerTrace $tracing -macTrace $tracing -movementTrace OFF
for {set i 0} {$i < $opt(nodes)} {incr i} {
    set node_($i) [$ns_ node]
    $node_($i) random-motion 0
}
source $opt(motion)

set file [open $opt(flows)]
set flows 0
foreach spec [split [string trim [read $file]] ,] {
    lassign [split $spec :] from to start
    if {$opt(kind) eq "tcp"} {
        set agent($flows) [new Agent/TCP/Newreno]
        set sink($flows) [new Agent/TCPSink]
        $agent($flows) set window_ $opt(window)
        $agent($flows) set packetSize_ $opt(segment)
        set source [new Application/FTP]
    } else {
        set agent($flows) [new Agent/UDP]
        set sink($flows) [new Agent/LossMonitor]
        $agent($flows) set packetSize_ $opt(segment)
        set source [new Application/Traffic/CBR]
        $source set packetSize_ $opt(segment)
        $source set rate_ $opt(rate)
    }
    $agent($flows) set fid_ $flows
    $ns_ attach-agent $node_($from) $agent($flows)
    $ns_ attach-agent $node_($to) $sink($flows)
    $ns_ connect $agent($flows) $sink($flows)
    $source attach-agent $agent($flows)
    $ns_ at [expr {$opt(start) eq "" ? $start : $opt(start)}] "$source start"
    incr flows
}

proc delivered {index} {
    global opt agent sink
    if {$opt(kind) ne "tcp"} { return [expr {[$sink($index) set npkts_] * $opt(segment)}] }
    # Segment 0 is the 40-byte SYN, so the highest acknowledged number is the count of full segments.
    set acked [$agent($index) set ack_]
    return [expr {$acked > 0 ? $acked * $opt(segment) : 0}]
}
proc begin {} {
    global flows before
    for {set f 0} {$f < $flows} {incr f} { set before($f) [delivered $f] }
}
proc finish {} {
    global opt ns_ flows before agent
    $ns_ flush-trace
    for {set f 0} {$f < $flows} {incr f} {
        set bytes [expr {[delivered $f] - $before($f)}]
        puts "flow $f goodput_kbps [expr {$bytes * 8 / 1000.0 / ($opt(duration) - $opt(from))}]"
        if {$opt(kind) eq "tcp"} {
            puts "flow $f sent [$agent($f) set ndatapack_]"
            puts "flow $f retransmissions [$agent($f) set nrexmitpack_]"
            puts "flow $f timeouts [$agent($f) set nrexmit_]"
        }
    }
    flush stdout
    exit 0
}
$ns_ at $opt(from) begin
$ns_ at $opt(duration) finish
$ns_ run
