// Bulk TCP over a row of wireless nodes in ns-3.44, set up to be comparable with ns-2's wireless defaults.
//
//   chain HOPS SEED STOP [START]      (defaults: START 100 s; a twin with STOP 0.001 measures start-up)
//
// Prints `goodput_kbps`, `frames`, one `key value` a line. Built by benches/side_by_side.py, or by hand:
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

#include <cstdlib>
#include <iostream>

using namespace ns3;

static uint64_t g_frames = 0;

static void
CountFrame(Ptr<const Packet>, double)
{
    ++g_frames;
}

static void
TcpLikeNs2(uint32_t segment, uint32_t window)
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
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
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

int
main(int argc, char** argv)
{
    const uint32_t hops = argc > 1 ? std::atoi(argv[1]) : 7;
    const uint32_t seed = argc > 2 ? std::atoi(argv[2]) : 1;
    const double stop = argc > 3 ? std::atof(argv[3]) : 300;
    const double start = argc > 4 ? std::atof(argv[4]) : 100;
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(seed);
    TcpLikeNs2(1460, 40);

    NodeContainer nodes;
    nodes.Create(hops + 1);
    MobilityHelper mobility;
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i <= hops; ++i)
    {
        places->Add(Vector(200.0 * i, 0, 0));
    }
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
    auto devices = RadioLikeNs2(nodes);

    InternetStackHelper internet;
    DsdvHelper dsdv;
    internet.SetRoutingHelper(dsdv);
    internet.Install(nodes);
    TrafficControlHelper traffic;
    Ipv4AddressHelper address("10.0.0.0", "255.255.0.0");
    auto interfaces = address.Assign(devices);
    traffic.Uninstall(devices);

    const InetSocketAddress there(interfaces.GetAddress(hops), 5000);
    PacketSinkHelper sinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
    auto sink = sinkHelper.Install(nodes.Get(hops));
    BulkSendHelper source("ns3::TcpSocketFactory", there);
    source.SetAttribute("SendSize", UintegerValue(1460));
    auto sender = source.Install(nodes.Get(0));
    sender.Start(Seconds(start));
    sender.Stop(Seconds(stop > start ? stop : start + 1));
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phy/PhyTxBegin", MakeCallback(&CountFrame));

    Simulator::Stop(Seconds(stop));
    Simulator::Run();
    const double bytes = DynamicCast<PacketSink>(sink.Get(0))->GetTotalRx();
    std::cout << "goodput_kbps " << (stop > start ? bytes * 8 / 1000 / (stop - start) : 0) << "\nframes " << g_frames << "\n";
    Simulator::Destroy();
    return 0;
}
