# TCP or CBR over wireless nodes in ns-2.35, in a row unless placed otherwise, every parameter on the command line.
#
#   ns chain.tcl hops 7 seed 3 duration 300 start 100
#   ns chain.tcl x "0 100 200" flow "0>1:cbr 2>1:cbr" trace - | ...
#   ns chain.tcl x "0 200 400 200" y "0 0 0 200" flow "0>2:tcp 3>1:cbr,rate=0.4Mb,size=512,start=90"
#
# Prints one `key value` line per figure at the end (flow lines: `flow INDEX key value`). With `trace FILE`
# (`-` = standard output) the MAC, router and agent traces and the DSDV events go there first (with `trace-mac 1` the
# MAC's alone, which saves a third of the time); a twin with `duration 0.001` measures the start-up cost.

array set opt {
    hops        7           spacing     200         x           ""          y           ""
    data-rate   2Mb         basic-rate  1Mb         plcp-rate   1Mb         range       250
    seed        1           start       100         stop        ""      duration 300
    routing     dsdv        window      40          segment     1460
    tcp         Newreno     delack      0           tcp-set     ""
    flow        ""          cbr-rate    2Mb         cbr-random  0
    ber         0           rts         0           queue       Queue/DropTail/PriQueue         arp     0
    queue-limit 50          queue-set   ""          mac-set     ""
    trace       ""          trace-mac   0           sample      0           energy      ""
}
foreach {key value} $argv {
    if {![info exists opt($key)]} { puts stderr "unknown parameter $key; known: [lsort [array names opt]]"; exit 2 }
    set opt($key) $value
}
if {$opt(stop) eq ""} { set opt(stop) $opt(duration) }
if {$opt(x) eq ""} { for {set i 0} {$i <= $opt(hops)} {incr i} { lappend opt(x) [expr {$i * $opt(spacing)}] } }
set count [llength $opt(x)]
if {$opt(y) eq ""} { set opt(y) [lrepeat $count 0] }
if {$opt(flow) eq ""} { set opt(flow) "0>[expr {$count - 1}]:tcp" }

# --- radio, MAC, error model -------------------------------------------------------------------------------
# The defaults of the wireless card (914 MHz, 250 m / 550 m, capture 10 dB) are what this study is about, so
# only the rates and the RTS threshold are set, and the range within which frames are decoded where asked for.
Mac/802_11 set dataRate_ $opt(data-rate)
Mac/802_11 set basicRate_ $opt(basic-rate)
Mac/802_11 set PLCPDataRate_ $opt(plcp-rate)
# Two-ray ground beyond its cross-over distance: power falls with the fourth power of the distance.
if {$opt(range) != 250} { Phy/WirelessPhy set RXThresh_ [expr {3.652e-10 * pow(250.0 / $opt(range), 4)}] }
Mac/802_11 set RTSThreshold_ $opt(rts)
foreach {key value} $opt(mac-set) { Mac/802_11 set $key $value }
foreach {key value} $opt(queue-set) { $opt(queue) set $key $value }
Agent/DSDV set verbose_ [expr {$opt(trace) ne "" && !$opt(trace-mac)}]
# `static`: DSDV settles at once and goes on advertising, but never believes that a neighbour has left, so all
# routes stand long before the first packet and none is ever lost. Where several shortest paths lead to a node, DSDV
# moves between them with each new sequence number; `frozen` also ends the advertisements at 60 s, so that the
# paths of that time stay.
if {$opt(routing) in "static frozen"} {
    Agent/DSDV set wst0_ 0
    Agent/DSDV set min_update_periods_ 1000000
}

# DSR crashes with any other queue than CMUPriQueue, whose limits are its own: 50 in each of four classes.
set adhoc DSDV
if {$opt(routing) eq "dsr"} { set adhoc DSR; set opt(queue) CMUPriQueue }
if {$opt(routing) eq "aodv"} { set adhoc AODV }

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
set all [expr {$tracing && !$opt(trace-mac)}]
# The wireless node cannot be built without a trace file, even when nothing is written to it.
$ns trace-all [expr {$opt(trace) eq "-" ? "stdout" : [open [expr {$tracing ? $opt(trace) : "/dev/null"}] w]}]
if {$tracing} { $ns eventtrace-all }
set topo [new Topography]
$topo load_flatgrid [expr {[lindex [lsort -real $opt(x)] end] + 1000}] 2000
create-god $count
$ns node-config -adhocRouting $adhoc -llType LL -macType Mac/802_11 -ifqType $opt(queue) -ifqLen $opt(queue-limit) \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo \
    -agentTrace [expr {$all ? "ON" : "OFF"}] -routerTrace [expr {$all ? "ON" : "OFF"}] \
    -macTrace [expr {$tracing ? "ON" : "OFF"}] -movementTrace OFF
if {$opt(ber) > 0} { $ns node-config -IncomingErrProc frame_errors }
# `energy "TX RX IDLE"`: what a radio draws [W], from a battery that outlasts the run, so that nobody falls silent. The
# trace has the rest of it in `N` lines, to 1e-6 J.
if {$opt(energy) ne ""} {
    lassign $opt(energy) tx rx idle
    $ns node-config -energyModel EnergyModel -initialEnergy 1e6 -txPower $tx -rxPower $rx -idlePower $idle
}
for {set i 0} {$i < $count} {incr i} {
    set node($i) [$ns node]
    $node($i) random-motion 0
    # RED takes its thresholds when it is reset, which ns-2 does for the queues of wired links alone.
    if {$opt(queue) eq "Queue/RED"} { [$node($i) set ifq_(0)] reset }
    $node($i) set X_ [lindex $opt(x) $i]
    $node($i) set Y_ [expr {500 + [lindex $opt(y) $i]}]
    $node($i) set Z_ 0
    if {$opt(routing) eq "frozen"} { $ns at 60 "[$node($i) set ragent_] set perup_ 1000000" }
}

# --- flows -------------------------------------------------------------------------------------------------
proc wire {index from to source start} {
    global opt ns node agent sink
    $agent($index) set fid_ $index
    $ns attach-agent $node($from) $agent($index)
    $ns attach-agent $node($to) $sink($index)
    $ns connect $agent($index) $sink($index)
    $source attach-agent $agent($index)
    $ns at $start "$source start"
    $ns at $opt(stop) "$source stop"
}

proc tcp_flow {index from to rate size start} {
    global opt agent sink
    set agent($index) [new Agent/TCP[expr {$opt(tcp) eq "Tahoe" ? "" : "/$opt(tcp)"}]]
    set kind [expr {[string match Sack* $opt(tcp)] ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]
    if {$opt(delack)} { append kind /DelAck }
    set sink($index) [new $kind]
    $agent($index) set window_ $opt(window)
    $agent($index) set packetSize_ $size
    foreach {key value} $opt(tcp-set) { $agent($index) set $key $value }
    wire $index $from $to [new Application/FTP] $start
}

proc cbr_flow {index from to rate size start} {
    global opt agent sink
    set agent($index) [new Agent/UDP]
    set sink($index) [new Agent/LossMonitor]
    $agent($index) set packetSize_ $size
    set source [new Application/Traffic/CBR]
    $source set packetSize_ $size
    $source set rate_ $rate
    $source set random_ $opt(cbr-random)
    wire $index $from $to $source $start
}

# With `arp 1` one small packet goes each way along every flow's path before the transfers, alone on the air, so that no
# address is left to be resolved. Where transfers begin together the first packet of one is easily lost with an
# ARP request (which is broadcast, and holds one packet), again and again while the others run.
proc resolve {from to at} {
    global ns node
    set agent [new Agent/UDP]
    set sink [new Agent/Null]
    $ns attach-agent $node($from) $agent
    $ns attach-agent $node($to) $sink
    $ns connect $agent $sink
    $ns at $at "$agent send 40"
}

# A flow says what differs from the common rate, segment and start.
set flows 0
foreach spec $opt(flow) {
    array set its [list rate $opt(cbr-rate) size $opt(segment) start $opt(start)]
    set words [split $spec ,]
    if {![regexp {^(\d+)>(\d+):(tcp|cbr)$} [lindex $words 0] - from to kind($flows)]} {
        puts stderr "flow \"$spec\": expected FROM>TO:tcp or FROM>TO:cbr, then ,rate= ,size= ,start="; exit 2
    }
    foreach word [lrange $words 1 end] { set its([lindex [split $word =] 0]) [lindex [split $word =] 1] }
    $kind($flows)_flow $flows $from $to $its(rate) $its(size) $its(start)
    if {$opt(arp)} {
        resolve $from $to [expr {$opt(start) - 20 + 0.6 * $flows}]
        resolve $to $from [expr {$opt(start) - 19.7 + 0.6 * $flows}]
    }
    set bytes_of($flows) $its(size)
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
    global opt ns flows kind agent sink cwnd_sum samples tracing bytes_of
    if {$tracing} { $ns flush-trace }
    set span [expr {$opt(duration) > $opt(start) ? min($opt(stop), $opt(duration)) - $opt(start) : 0}]
    for {set f 0} {$f < $flows} {incr f} {
        if {$kind($f) eq "tcp"} {
            # Segment 0 is the 40-byte SYN, so the highest acknowledged number is the count of full segments.
            set acked [$agent($f) set ack_]
            set bytes [expr {$acked > 0 ? $acked * $bytes_of($f) : 0}]
            puts "flow $f sent [$agent($f) set ndatapack_]"
            puts "flow $f retransmissions [$agent($f) set nrexmitpack_]"
            puts "flow $f timeouts [$agent($f) set nrexmit_]"
            if {$samples > 0} { puts "flow $f cwnd [expr {$cwnd_sum($f) / $samples}]" }
        } else {
            # The sink counts the IP header too; the payload is what was asked for.
            set bytes [expr {[$sink($f) set npkts_] * $bytes_of($f)}]
        }
        puts "flow $f goodput_kbps [expr {$span > 0 ? $bytes * 8 / 1000.0 / $span : 0}]"
    }
    flush stdout
    exit 0
}
$ns at $opt(duration) finish
$ns run
