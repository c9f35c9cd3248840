// Bulk TCP over a row of wireless nodes in ns-3.44, set up to be comparable with ns-2's wireless defaults.
//
//   chain --hops=7 --seed=3 --start=100 --stop=300 --window=40 --sack=0 --routing=static --flows="0>7,7>0"
//
// (`--PrintHelp` lists all; a twin with `--stop=0.001` measures start-up.) Prints one `key value` a line; per flow
// `flow INDEX key value`; counts are of the whole run. Built by benches/peers.py, or by hand:
//   g++ -O2 -std=c++20 -I NS3/include chain.cc -L NS3/lib64 -lns3.44-wifi ... (NS3: the unzipped PyPI wheel)

#include "ns3/core-module.h"
#include "ns3/dsdv-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/applications-module.h"
#include "ns3/propagation-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <iostream>
#include <map>
#include <sstream>
#include <string>

using namespace ns3;

struct Options
{
    uint32_t hops = 7;
    uint32_t seed = 1;
    uint32_t window = 40;
    uint32_t segment = 1460;
    double spacing = 200;
    double start = 100;
    double stop = 300;
    bool sack = false;
    std::string routing = "dsdv";
    std::string flows;
};

struct Counts
{
    uint64_t frames = 0;
    uint64_t rts = 0;
    uint64_t cts = 0;
    uint64_t ctsHeard = 0;
    uint64_t givenUp = 0;
    uint64_t sent = 0;
    uint64_t again = 0;
};

static Counts g_counts;
static std::map<uint16_t, SequenceNumber32> g_frontier; // by port: the end of what has been sent

static void
CountFrame(Ptr<const Packet> packet, double)
{
    WifiMacHeader header;
    packet->PeekHeader(header);
    ++g_counts.frames;
    g_counts.rts += header.IsRts();
    g_counts.cts += header.IsCts();
}

/// A CTS that the station which sent the RTS has received.
static void
CountHeard(std::string context, Ptr<const Packet> packet)
{
    WifiMacHeader header;
    packet->PeekHeader(header);
    if (header.IsCts())
    {
        const uint32_t node = std::stoul(context.substr(10)); // /NodeList/
        auto device = DynamicCast<WifiNetDevice>(NodeList::GetNode(node)->GetDevice(0));
        g_counts.ctsHeard += header.GetAddr1() == device->GetMac()->GetAddress();
    }
}

static void
CountGivenUp(WifiMacDropReason reason, Ptr<const WifiMpdu>)
{
    g_counts.givenUp += reason == WIFI_MAC_DROP_REACHED_RETRY_LIMIT;
}

/// Segments with data that leave the node where they were made; again if they begin before what was sent.
static void
CountSegment(const Ipv4Header& ip, Ptr<const Packet> packet, uint32_t)
{
    TcpHeader tcp;
    if (ip.GetProtocol() != TcpL4Protocol::PROT_NUMBER || !packet->PeekHeader(tcp))
    {
        return;
    }
    const uint32_t length = packet->GetSize() - tcp.GetSerializedSize();
    if (length == 0)
    {
        return;
    }
    auto [frontier, first] = g_frontier.try_emplace(tcp.GetDestinationPort(), tcp.GetSequenceNumber());
    ++g_counts.sent;
    g_counts.again += tcp.GetSequenceNumber() < frontier->second;
    frontier->second = std::max(frontier->second, tcp.GetSequenceNumber() + length);
}

static void
TcpLikeNs2(uint32_t segment, uint32_t window, bool sack)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(segment * window));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(segment * window));
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000000));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(0.2)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(sack));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
}

static NetDeviceContainer
RadioLikeNs2(const NodeContainer& nodes)
{
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize("50p")));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));

    auto loss = CreateObject<TwoRayGroundPropagationLossModel>();
    loss->SetFrequency(914e6);
    loss->SetHeightAboveZ(1.5);
    auto channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationLossModel(loss);
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());

    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    for (auto power : {"TxPowerStart", "TxPowerEnd"})
    {
        phy.Set(power, DoubleValue(24.5));
    }
    phy.Set("RxSensitivity", DoubleValue(-78.08));  // 550 m
    phy.Set("CcaEdThreshold", DoubleValue(-78.08));
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel",
                                  "MinimumRssi", DoubleValue(-64.38),  // 250 m
                                  "Threshold", DoubleValue(4));

    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue("DsssRate2Mbps"),
                                 "ControlMode", StringValue("DsssRate1Mbps"),
                                 "NonUnicastMode", StringValue("DsssRate1Mbps"),
                                 "RtsCtsThreshold", UintegerValue(0));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    return wifi.Install(phy, mac, nodes);
}

/// Shortest paths along the row, written down; neighbours know each other's hardware addresses.
static void
StandingRoutes(const NodeContainer& nodes, const Ipv4InterfaceContainer& interfaces)
{
    Ipv4StaticRoutingHelper helper;
    for (uint32_t here = 0; here < nodes.GetN(); ++here)
    {
        auto routes = helper.GetStaticRouting(nodes.Get(here)->GetObject<Ipv4>());
        for (uint32_t there = 0; there < nodes.GetN(); ++there)
        {
            if (there != here)
            {
                const uint32_t next = there > here ? here + 1 : here - 1;
                routes->AddHostRouteTo(interfaces.GetAddress(there), interfaces.GetAddress(next), 1);
            }
        }
    }
    NeighborCacheHelper neighbours;
    neighbours.PopulateNeighborCache(interfaces);
}

static std::vector<Ptr<PacketSink>>
Flows(const Options& options, const NodeContainer& nodes, const Ipv4InterfaceContainer& interfaces)
{
    std::vector<Ptr<PacketSink>> sinks;
    std::istringstream words(options.flows.empty() ? "0>" + std::to_string(options.hops) : options.flows);
    for (std::string word; std::getline(words, word, ',');)
    {
        const uint32_t from = std::stoul(word);
        const uint32_t to = std::stoul(word.substr(word.find('>') + 1));
        const uint16_t port = 5000 + sinks.size();
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(nodes.Get(to)).Get(0)));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(interfaces.GetAddress(to), port));
        source.SetAttribute("SendSize", UintegerValue(options.segment));
        auto sender = source.Install(nodes.Get(from));
        sender.Start(Seconds(options.start));
        sender.Stop(Seconds(options.stop > options.start ? options.stop : options.start + 1));
    }
    return sinks;
}

static Options
Read(int argc, char** argv)
{
    Options options;
    CommandLine line(__FILE__);
    line.AddValue("hops", "nodes less one", options.hops);
    line.AddValue("seed", "run number", options.seed);
    line.AddValue("window", "segments that may be under way", options.window);
    line.AddValue("segment", "bytes of a segment", options.segment);
    line.AddValue("spacing", "metres between neighbours", options.spacing);
    line.AddValue("start", "start of the transfers in seconds", options.start);
    line.AddValue("stop", "end of the run in seconds", options.stop);
    line.AddValue("sack", "selective acknowledgements", options.sack);
    line.AddValue("routing", "dsdv or static", options.routing);
    line.AddValue("flows", "FROM>TO,..., bulk transfers; default the whole row", options.flows);
    line.Parse(argc, argv);
    NS_ABORT_MSG_UNLESS(options.routing == "dsdv" || options.routing == "static", "routing: dsdv or static");
    return options;
}

int
main(int argc, char** argv)
{
    const Options options = Read(argc, argv);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(options.seed);
    TcpLikeNs2(options.segment, options.window, options.sack);

    NodeContainer nodes;
    nodes.Create(options.hops + 1);
    MobilityHelper mobility;
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i <= options.hops; ++i)
    {
        places->Add(Vector(options.spacing * i, 0, 0));
    }
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
    auto devices = RadioLikeNs2(nodes);

    InternetStackHelper internet;
    DsdvHelper dsdv;
    const bool standing = options.routing == "static";
    if (!standing)
    {
        internet.SetRoutingHelper(dsdv);
    }
    internet.Install(nodes);
    TrafficControlHelper traffic;
    Ipv4AddressHelper address("10.0.0.0", "255.255.0.0");
    auto interfaces = address.Assign(devices);
    traffic.Uninstall(devices);
    if (standing)
    {
        StandingRoutes(nodes, interfaces);
    }
    auto sinks = Flows(options, nodes, interfaces);

    const std::string device = "/NodeList/*/DeviceList/*/$ns3::WifiNetDevice";
    Config::ConnectWithoutContext(device + "/Phy/PhyTxBegin", MakeCallback(&CountFrame));
    Config::Connect(device + "/Phy/PhyRxEnd", MakeCallback(&CountHeard));
    Config::ConnectWithoutContext(device + "/Mac/DroppedMpdu", MakeCallback(&CountGivenUp));
    Config::ConnectWithoutContext("/NodeList/*/$ns3::Ipv4L3Protocol/SendOutgoing", MakeCallback(&CountSegment));

    Simulator::Stop(Seconds(options.stop));
    Simulator::Run();
    const double span = options.stop - options.start;
    for (size_t i = 0; i < sinks.size(); ++i)
    {
        const double kbps = span > 0 ? sinks[i]->GetTotalRx() * 8 / 1000 / span : 0;
        std::cout << "flow " << i << " goodput_kbps " << kbps << "\n";
    }
    std::cout << "frames " << g_counts.frames << "\nrts " << g_counts.rts << "\ncts " << g_counts.cts
              << "\ncts_heard " << g_counts.ctsHeard << "\ngiven_up " << g_counts.givenUp << "\nsent "
              << g_counts.sent << "\nretransmissions " << g_counts.again << "\n";
    Simulator::Destroy();
    return 0;
}
