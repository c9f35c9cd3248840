// Today's Wi-Fi in ns-3.44: one TCP transfer over a chain, or stations that contend for one receiver, with A-MPDUs.
//
//   wifi --hops=4 --window=8 --seconds=5         TCP NewReno over four hops, at most eight segments on their way
//   wifi --stations=20 --seconds=5               20 saturated senders that all hear each other
//
// 802.11n at 5 GHz, 20 MHz, one stream, long guard interval, constant rate. Prints one `key value` a line; counts are of
// the whole run. Built by benches/peers.py.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <iostream>

using namespace ns3;

struct Options
{
    uint32_t hops = 4;
    uint32_t stations = 0; // none: the chain
    uint32_t seed = 1;
    uint32_t mcs = 7;
    uint32_t window = 4000; // segments
    double seconds = 5;
};

static constexpr double LOAD = 0.12; // s: block ack agreements stand by then
static uint64_t g_ppdus = 0;
static uint64_t g_mpdus = 0;

static void
CountPpdu(WifiConstPsduMap psdus, WifiTxVector, double)
{
    const auto& psdu = psdus.begin()->second;
    const auto& header = psdu->GetHeader(0);
    if (header.IsQosData() && !header.GetAddr1().IsGroup())
    {
        ++g_ppdus;
        g_mpdus += psdu->GetNMpdus();
    }
}

static void
Tcp(uint32_t window)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1460));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1460 * window));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1460 * 4000));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
}

static NetDeviceContainer
Radios(const Options& options, const NodeContainer& nodes)
{
    const bool chain = options.stations == 0;
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize(chain ? "100p" : "300p")));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    auto channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    YansWifiPhyHelper phy;
    if (chain)
    {
        auto loss = CreateObject<TwoRayGroundPropagationLossModel>();
        loss->SetFrequency(914e6);
        loss->SetHeightAboveZ(1.5);
        channel->SetPropagationLossModel(loss);
        phy.Set("TxPowerStart", DoubleValue(24.5));
        phy.Set("TxPowerEnd", DoubleValue(24.5));
        // 550 m; all signals count as interference. The second is for signals of Wi-Fi, detected or not.
        phy.Set("CcaEdThreshold", DoubleValue(-78.08));
        phy.Set("CcaSensitivity", DoubleValue(-78.08));
        phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel",
                                      "MinimumRssi", DoubleValue(-64.38), // 250 m
                                      "Threshold", DoubleValue(4));
    }
    else
    {
        auto loss = CreateObject<FixedRssLossModel>();
        loss->SetRss(-50);
        channel->SetPropagationLossModel(loss);
    }
    phy.SetChannel(channel);
    phy.SetErrorRateModel("ns3::NistErrorRateModel");
    phy.Set("ChannelSettings", StringValue("{36, 20, BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211n);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue("HtMcs" + std::to_string(options.mcs)),
                                 "ControlMode", StringValue("OfdmRate6Mbps"));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac", "BE_MaxAmpduSize", UintegerValue(65535));
    return wifi.Install(phy, mac, nodes);
}

int
main(int argc, char** argv)
{
    Options options;
    CommandLine line(__FILE__);
    line.AddValue("hops", "hops of the chain", options.hops);
    line.AddValue("stations", "saturated senders in place of a chain", options.stations);
    line.AddValue("seed", "run number", options.seed);
    line.AddValue("window", "segments on their way at most", options.window);
    line.AddValue("mcs", "MCS of data frames", options.mcs);
    line.AddValue("seconds", "length of the run", options.seconds);
    line.Parse(argc, argv);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(options.seed);
    Tcp(options.window);

    const bool chain = options.stations == 0;
    const uint32_t last = chain ? options.hops : options.stations;
    NodeContainer nodes;
    nodes.Create(last + 1);
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i <= last; ++i)
    {
        places->Add(Vector((chain ? 200.0 : 1.0) * i, 0, 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
    auto devices = Radios(options, nodes);

    InternetStackHelper internet;
    internet.Install(nodes);
    Ipv4AddressHelper address("10.0.0.0", "255.255.0.0");
    auto interfaces = address.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    Ipv4StaticRoutingHelper routing;
    for (uint32_t here = 0; chain && here <= last; ++here)
    {
        auto routes = routing.GetStaticRouting(nodes.Get(here)->GetObject<Ipv4>());
        for (uint32_t there = 0; there <= last; ++there)
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

    const InetSocketAddress any(Ipv4Address::GetAny(), 5000);
    const uint32_t receiver = chain ? last : 0;
    const InetSocketAddress to(interfaces.GetAddress(receiver), 5000);
    PacketSinkHelper sinks(chain ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory", any);
    auto sink = DynamicCast<PacketSink>(sinks.Install(nodes.Get(receiver)).Get(0));
    if (chain)
    {
        BulkSendHelper source("ns3::TcpSocketFactory", to);
        source.Install(nodes.Get(0)).Start(Seconds(LOAD));
    }
    for (uint32_t station = 1; station <= options.stations; ++station)
    {
        // Together three times what the channel carries at MCS 7, as ours.
        OnOffHelper source("ns3::UdpSocketFactory", to);
        source.SetConstantRate(DataRate(195'000'000 / options.stations), 1472);
        source.Install(nodes.Get(station)).Start(Seconds(LOAD));
        // Packets that wait for each other make the station ask for an agreement: it stands before all contend.
        UdpClientHelper first(to);
        first.SetAttribute("MaxPackets", UintegerValue(3));
        first.SetAttribute("Interval", TimeValue(MicroSeconds(10)));
        first.Install(nodes.Get(station)).Start(MilliSeconds(2 + 4 * station));
    }
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phy/PhyTxPsduBegin",
                                  MakeCallback(&CountPpdu));
    Simulator::Stop(Seconds(LOAD + options.seconds));
    Simulator::Run();
    std::cout << "kbit " << sink->GetTotalRx() * 8 / 1000.0 << "\nframes " << g_ppdus
              << "\nmpdus " << g_mpdus << "\n";
    Simulator::Destroy();
    return 0;
}
