# TCP or CBR over a row of wireless nodes in ns-2.35, every parameter on the command line.
#
#   ns chain.tcl hops 7 seed 3 duration 300 start 100
#   ns chain.tcl x "0 100 200" flow "0>1:cbr 2>1:cbr" trace - | ...
#
# Prints one `key value` line per figure at the end (flow lines: `flow INDEX key value`). With `trace FILE`
# (`-` = standard output) the MAC, router and agent traces and the DSDV events go there first; a twin with
# `duration 0.001` measures the start-up cost.

array set opt {
    hops        7           spacing     200         x           ""
    seed        1           start       100         stop        ""      duration 300
    routing     dsdv        window      40          segment     1460
    tcp         Newreno     delack      0           tcp-set     ""
    flow        ""          cbr-rate    2Mb         cbr-random  0
    ber         0           rts         0           queue       Queue/DropTail/PriQueue
    queue-limit 50          queue-set   ""          trace       ""      sample 0
}
foreach {key value} $argv {
    if {![info exists opt($key)]} { puts stderr "unknown parameter $key; known: [lsort [array names opt]]"; exit 2 }
    set opt($key) $value
}
if {$opt(stop) eq ""} { set opt(stop) $opt(duration) }
if {$opt(x) eq ""} { for {set i 0} {$i <= $opt(hops)} {incr i} { lappend opt(x) [expr {$i * $opt(spacing)}] } }
set count [llength $opt(x)]
if {$opt(flow) eq ""} { set opt(flow) "0>[expr {$count - 1}]:tcp" }

# --- radio, MAC, error model -------------------------------------------------------------------------------
# The defaults of the wireless card (914 MHz, 250 m / 550 m, capture 10 dB) are what this study is about, so
# only the three rates and the RTS threshold are set.
Mac/802_11 set dataRate_ 2Mb
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set RTSThreshold_ $opt(rts)
foreach {key value} $opt(queue-set) { $opt(queue) set $key $value }
Agent/DSDV set verbose_ [expr {$opt(trace) ne ""}]
# `static`: DSDV settles at once and goes on advertising, but never believes that a neighbour has left, so all
# routes stand long before the first packet and none is ever lost.
if {$opt(routing) eq "static"} {
    Agent/DSDV set wst0_ 0
    Agent/DSDV set min_update_periods_ 1000000
}

proc frame_errors {} {
    # Unit `byte` draws once a frame with 1-(1-rate)^bytes; `bit` reads a size that is never set in ns-2.35.
    global opt
    set model [new ErrorModel]
    $model unit byte
    $model set rate_ [expr {1 - pow(1 - $opt(ber), 8)}]
    $model ranvar [new RandomVariable/Uniform]
    return $model
}

set ns [new Simulator]
ns-random $opt(seed)
set tracing [expr {$opt(trace) ne ""}]
# The wireless node cannot be built without a trace file, even when nothing is written to it.
$ns trace-all [expr {$opt(trace) eq "-" ? "stdout" : [open [expr {$tracing ? $opt(trace) : "/dev/null"}] w]}]
if {$tracing} { $ns eventtrace-all }
set topo [new Topography]
$topo load_flatgrid [expr {[lindex [lsort -real $opt(x)] end] + 1000}] 1000
create-god $count
$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType $opt(queue) -ifqLen $opt(queue-limit) \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo \
    -agentTrace [expr {$tracing ? "ON" : "OFF"}] -routerTrace [expr {$tracing ? "ON" : "OFF"}] \
    -macTrace [expr {$tracing ? "ON" : "OFF"}] -movementTrace OFF
if {$opt(ber) > 0} { $ns node-config -IncomingErrProc frame_errors }
for {set i 0} {$i < $count} {incr i} {
    set node($i) [$ns node]
    $node($i) random-motion 0
    $node($i) set X_ [lindex $opt(x) $i]
    $node($i) set Y_ 500
    $node($i) set Z_ 0
}

# --- flows -------------------------------------------------------------------------------------------------
proc tcp_flow {index from to} {
    global opt ns node agent sink
    set agent($index) [new Agent/TCP[expr {$opt(tcp) eq "Tahoe" ? "" : "/$opt(tcp)"}]]
    set kind [expr {[string match Sack* $opt(tcp)] ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]
    if {$opt(delack)} { append kind /DelAck }
    set sink($index) [new $kind]
    $agent($index) set window_ $opt(window)
    $agent($index) set packetSize_ $opt(segment)
    $agent($index) set fid_ $index
    foreach {key value} $opt(tcp-set) { $agent($index) set $key $value }
    $ns attach-agent $node($from) $agent($index)
    $ns attach-agent $node($to) $sink($index)
    $ns connect $agent($index) $sink($index)
    set source [new Application/FTP]
    $source attach-agent $agent($index)
    $ns at $opt(start) "$source start"
    $ns at $opt(stop) "$source stop"
}

proc cbr_flow {index from to} {
    global opt ns node agent sink
    set agent($index) [new Agent/UDP]
    set sink($index) [new Agent/LossMonitor]
    $agent($index) set packetSize_ $opt(segment)
    $agent($index) set fid_ $index
    $ns attach-agent $node($from) $agent($index)
    $ns attach-agent $node($to) $sink($index)
    $ns connect $agent($index) $sink($index)
    set source [new Application/Traffic/CBR]
    $source set packetSize_ $opt(segment)
    $source set rate_ $opt(cbr-rate)
    $source set random_ $opt(cbr-random)
    $source attach-agent $agent($index)
    $ns at $opt(start) "$source start"
    $ns at $opt(stop) "$source stop"
}

set flows 0
foreach spec $opt(flow) {
    if {![regexp {^(\d+)>(\d+):(tcp|cbr)$} $spec - from to kind($flows)]} {
        puts stderr "flow \"$spec\": expected FROM>TO:tcp or FROM>TO:cbr"; exit 2
    }
    $kind($flows)_flow $flows $from $to
    set cwnd_sum($flows) 0.0
    incr flows
}

# Mean usable window, sampled without touching the simulation.
set samples 0
proc sample {} {
    global opt ns flows kind agent cwnd_sum samples
    for {set f 0} {$f < $flows} {incr f} {
        if {$kind($f) eq "tcp"} {
            set cwnd [$agent($f) set cwnd_]
            set cwnd_sum($f) [expr {$cwnd_sum($f) + ($cwnd < $opt(window) ? $cwnd : $opt(window))}]
        }
    }
    incr samples
    $ns at [expr {[$ns now] + $opt(sample)}] sample
}
if {$opt(sample) > 0} { $ns at $opt(start) sample }

proc finish {} {
    global opt ns flows kind agent sink cwnd_sum samples tracing
    if {$tracing} { $ns flush-trace }
    set span [expr {$opt(duration) > $opt(start) ? min($opt(stop), $opt(duration)) - $opt(start) : 0}]
    for {set f 0} {$f < $flows} {incr f} {
        if {$kind($f) eq "tcp"} {
            # Segment 0 is the 40-byte SYN, so the highest acknowledged number is the count of full segments.
            set acked [$agent($f) set ack_]
            set bytes [expr {$acked > 0 ? $acked * $opt(segment) : 0}]
            puts "flow $f sent [$agent($f) set ndatapack_]"
            puts "flow $f retransmissions [$agent($f) set nrexmitpack_]"
            puts "flow $f timeouts [$agent($f) set nrexmit_]"
            if {$samples > 0} { puts "flow $f cwnd [expr {$cwnd_sum($f) / $samples}]" }
        } else {
            # The sink counts the IP header too; the payload is what was asked for.
            set bytes [expr {[$sink($f) set npkts_] * $opt(segment)}]
        }
        puts "flow $f goodput_kbps [expr {$span > 0 ? $bytes * 8 / 1000.0 / $span : 0}]"
    }
    flush stdout
    exit 0
}
$ns at $opt(duration) finish
$ns run
