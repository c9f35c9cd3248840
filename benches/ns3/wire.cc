// TCP and a stream of small packets over a wired link with a queue discipline in ns-3.44, as benches/aqm.py runs it here.
//
//   wire --control=TcpCubic --rate=10 --delay=50 --packets=1000 --discipline=Pie --flows=4 --ecn=1
//
// (`--PrintHelp` lists all.) A sender is connected to a router at 1 Gb/s and 1 us, the router to the receiver at the
// rate and delay. The discipline stands at the router, above a device that holds one packet beside the one being sent.
// So many TCP flows begin together at 0 s. From 5 s on datagrams of 200 bytes run beside them. Prints one
// `key value` a line. With --trace=1 it prints what happens before, one event a line: `time kind flow value`.
// Built by benches/aqm.py, or by hand:
//   g++ -O2 -std=c++20 -I NS3/include wire.cc -L NS3/lib64 -lns3.44-internet ... (NS3: the unzipped PyPI wheel)

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>
#include <map>
#include <string>

using namespace ns3;

struct Options
{
    std::string control = "TcpCubic";
    double rate = 10;
    double delay = 50;
    uint32_t packets = 1000;
    std::string discipline = "Fifo";
    uint32_t flows = 1;
    bool ecn = false;
    double apart = 0;
    double seconds = 40;
    uint32_t stream = 200;
    double from = 5;
    double open = 0;
    bool trace = false;
    uint32_t seed = 1;
};

static Options g_options;
static double g_sojourn = 0;
static double g_longest = 0;
static uint64_t g_sojourns = 0;
static std::map<std::string, uint64_t> g_dropped;
static uint64_t g_marked = 0;
static std::map<std::string, uint64_t> g_count;

static std::ostream&
Tell(const char* kind, const std::string& flow)
{
    return std::cout << Simulator::Now().GetSeconds() << ' ' << kind << ' ' << flow << ' ';
}

static void
Sojourn(Time waited)
{
    g_sojourn += waited.GetSeconds();
    g_longest = std::max(g_longest, waited.GetSeconds());
    ++g_sojourns;
    if (g_options.trace)
    {
        Tell("sojourn", "-") << waited.GetSeconds() << '\n';
    }
}

static void
Dropped(Ptr<const QueueDiscItem> item, const char* reason)
{
    ++g_dropped[reason];
    if (g_options.trace)
    {
        Tell("drop", "-") << item->GetSize() << ' ' << reason << '\n';
    }
}

static void
Marked(Ptr<const QueueDiscItem> item, const char* reason)
{
    ++g_marked;
    if (g_options.trace)
    {
        Tell("mark", "-") << item->GetSize() << ' ' << reason << '\n';
    }
}

static double g_delay = 0;
static uint64_t g_delayed = 0;

/// A datagram of the stream has arrived.
static void
Arrived(Ptr<const Packet> packet, const Address&)
{
    SeqTsHeader sent;
    packet->PeekHeader(sent);
    g_delay += (Simulator::Now() - sent.GetTs()).GetSeconds();
    ++g_delayed;
}

static void
Window(std::string flow, uint32_t, uint32_t now)
{
    Tell("cwnd", flow) << now / 1448.0 << '\n';
}

static void
Threshold(std::string flow, uint32_t, uint32_t now)
{
    Tell("ssthresh", flow) << now / 1448.0 << '\n';
}

static void
Rtt(std::string flow, Time, Time now)
{
    Tell("rtt", flow) << now.GetSeconds() << '\n';
}

static void
Rto(std::string flow, Time, Time now)
{
    Tell("rto", flow) << now.GetSeconds() << '\n';
}

static void
State(std::string flow, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
{
    ++g_count[now == TcpSocketState::CA_LOSS ? "timeouts" : "states"];
    if (g_options.trace)
    {
        Tell("state", flow) << TcpSocketState::TcpCongStateName[now] << '\n';
    }
}

static std::map<std::string, SequenceNumber32> g_highest;

static void
Sent(std::string flow, Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    const auto size = packet->GetSize();
    if (size == 0)
    {
        return;
    }
    auto [highest, first] = g_highest.try_emplace(flow, header.GetSequenceNumber());
    const bool again = header.GetSequenceNumber() < highest->second;
    ++g_count["sent"];
    g_count["again"] += again;
    highest->second = std::max(highest->second, header.GetSequenceNumber() + size);
    if (g_options.trace)
    {
        Tell(again ? "again" : "sent", flow) << header.GetSequenceNumber() << ' ' << size << '\n';
    }
}

static void
Received(std::string flow, Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    Tell("ack", flow) << header.GetAckNumber() << ' ' << header << '\n';
}

/// Connects what a sender's socket tells.
static void
Watch(Ptr<BulkSendApplication> sender, std::string flow)
{
    auto socket = DynamicCast<TcpSocketBase>(sender->GetSocket());
    socket->TraceConnectWithoutContext("CongState", MakeBoundCallback(&State, flow));
    socket->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Sent, flow));
    if (g_options.trace)
    {
        socket->TraceConnectWithoutContext("CongestionWindow", MakeBoundCallback(&Window, flow));
        socket->TraceConnectWithoutContext("SlowStartThreshold", MakeBoundCallback(&Threshold, flow));
        socket->TraceConnectWithoutContext("LastRTT", MakeBoundCallback(&Rtt, flow));
        socket->TraceConnectWithoutContext("RTO", MakeBoundCallback(&Rto, flow));
        socket->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Received, flow));
    }
}

static void
Read(int argc, char** argv)
{
    Options& its = g_options;
    CommandLine line(__FILE__);
    line.AddValue("control", "congestion control", its.control);
    line.AddValue("rate", "of the link [Mb/s]", its.rate);
    line.AddValue("delay", "one way [ms]", its.delay);
    line.AddValue("packets", "limit of the discipline", its.packets);
    line.AddValue("discipline", "Fifo, CoDel, FqCoDel or Pie", its.discipline);
    line.AddValue("flows", "TCP flows", its.flows);
    line.AddValue("ecn", "TCP uses ECN", its.ecn);
    line.AddValue("apart", "time between two starts [s]", its.apart);
    line.AddValue("seconds", "length of the run", its.seconds);
    line.AddValue("stream", "bytes of a datagram; 0: none", its.stream);
    line.AddValue("from", "start of the stream [s]", its.from);
    line.AddValue("open", "a second stream of 1000-byte datagrams [Mb/s]", its.open);
    line.AddValue("trace", "print events", its.trace);
    line.AddValue("seed", "number of the run", its.seed);
    line.Parse(argc, argv);
}

static void
Hosts()
{
    const Options& its = g_options;
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + its.control));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpPrrRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(64 << 20));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(64 << 20));
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(100));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(its.ecn ? "On" : "Off"));
}

int
main(int argc, char** argv)
{
    Read(argc, argv);
    const Options& its = g_options;
    RngSeedManager::SetRun(its.seed);
    Hosts();
    NodeContainer nodes;
    nodes.Create(3);
    InternetStackHelper().Install(nodes);

    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetChannelAttribute("Delay", StringValue("1us"));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));
    auto access = link.Install(nodes.Get(0), nodes.Get(1));
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(its.rate * 1e6)));
    link.SetChannelAttribute("Delay", TimeValue(Seconds(its.delay / 1e3)));
    auto away = link.Install(nodes.Get(1), nodes.Get(2));
    DynamicCast<PointToPointNetDevice>(away.Get(0))->GetQueue()->SetMaxSize(QueueSize("1p"));

    TrafficControlHelper traffic;
    const QueueSizeValue limit(QueueSize(std::to_string(its.packets) + "p"));
    const std::string type = "ns3::" + its.discipline + "QueueDisc";
    traffic.SetRootQueueDisc(type, "MaxSize", limit);
    if (its.discipline != "Fifo")
    {
        Config::SetDefault(type + "::UseEcn", BooleanValue(its.ecn));
    }
    auto discipline = traffic.Install(away.Get(0)).Get(0);
    discipline->TraceConnectWithoutContext("SojournTime", MakeCallback(&Sojourn));
    discipline->TraceConnectWithoutContext("DropBeforeEnqueue", MakeCallback(&Dropped));
    discipline->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&Dropped));
    discipline->TraceConnectWithoutContext("Mark", MakeCallback(&Marked));

    Ipv4AddressHelper address("10.0.0.0", "255.255.255.0");
    address.Assign(access);
    address.NewNetwork();
    auto ends = address.Assign(away);
    traffic.Uninstall(access);
    traffic.Uninstall(away.Get(1));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    ApplicationContainer sinks;
    for (uint32_t flow = 0; flow < its.flows; ++flow)
    {
        const uint16_t port = 5000 + flow;
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.Add(sink.Install(nodes.Get(2)));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(ends.GetAddress(1), port));
        bulk.SetAttribute("SendSize", UintegerValue(1448));
        auto sender = bulk.Install(nodes.Get(0));
        sender.Start(Seconds(flow * its.apart));
        Simulator::Schedule(Seconds(flow * its.apart) + NanoSeconds(1), &Watch,
                            DynamicCast<BulkSendApplication>(sender.Get(0)), std::to_string(flow));
    }
    PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
    auto small = sink.Install(nodes.Get(2));
    small.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Arrived));
    const auto stream = [&](uint32_t bytes, double bits, double from) {
        UdpClientHelper client(ends.GetAddress(1), 9);
        client.SetAttribute("MaxPackets", UintegerValue(0));
        client.SetAttribute("Interval", TimeValue(Seconds(8 * bytes / bits)));
        client.SetAttribute("PacketSize", UintegerValue(bytes));
        client.Install(nodes.Get(0)).Start(Seconds(from));
    };
    if (its.stream)
    {
        stream(its.stream, 64e3, its.from);
    }
    if (its.open > 0)
    {
        stream(1000, its.open * 1e6, 0);
    }

    Simulator::Stop(Seconds(its.seconds));
    Simulator::Run();
    uint64_t bytes = 0;
    for (uint32_t flow = 0; flow < its.flows; ++flow)
    {
        const auto got = DynamicCast<PacketSink>(sinks.Get(flow))->GetTotalRx();
        bytes += got;
        std::cout << "flow_" << flow << "_mbps " << got * 8 / its.seconds / 1e6 << '\n';
    }
    std::cout << "goodput_mbps " << bytes * 8 / its.seconds / 1e6 << "\nmean_sojourn_ms "
              << 1e3 * g_sojourn / std::max<uint64_t>(1, g_sojourns) << "\nmax_sojourn_ms " << 1e3 * g_longest
              << "\nmarks " << g_marked << "\ncbr_got " << g_delayed << "\ncbr_mean_ms "
              << 1e3 * g_delay / std::max<uint64_t>(1, g_delayed) << '\n';
    for (const auto& [reason, count] : g_dropped)
    {
        std::cout << "dropped " << count << ' ' << reason << '\n';
    }
    for (const auto& [what, count] : g_count)
    {
        std::cout << what << ' ' << count << '\n';
    }
    Simulator::Destroy();
    return 0;
}
