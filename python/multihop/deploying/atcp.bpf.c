// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Hands the segments of this host's connections to a layer below TCP, on their way out and on their way in.
//
// The layer is a process that reads them from a TUN device. What it sends has a mark, and passes.
// A connection belongs to the layer if it has been opened since this program is there. What the host forwards passes.

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

enum { NEXT = -1 };			// TCX_NEXT: what comes after this program decides
enum { FRAGMENT = 0x3fff };		// more fragments follow, or this is a later one (RFC 791 section 3.1)

struct connection {
	__be32 here, there;
	__be16 port_here, port_there;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct connection);
	__type(value, __u8);
} connections SEC(".maps");

static int read_headers(struct __sk_buff *skb, struct iphdr *ip, struct tcphdr *tcp)
{
	if (skb->mark == MARK || skb->protocol != bpf_htons(ETH_P_IP))
		return 0;
	if (bpf_skb_load_bytes_relative(skb, 0, ip, sizeof(*ip), BPF_HDR_START_NET))
		return 0;
	if (ip->protocol != IPPROTO_TCP || ip->frag_off & bpf_htons(FRAGMENT))
		return 0;
	return !bpf_skb_load_bytes_relative(skb, ip->ihl * 4, tcp, sizeof(*tcp), BPF_HDR_START_NET);
}

SEC("tc")
int leaving(struct __sk_buff *skb)
{
	struct iphdr ip;
	struct tcphdr tcp;
	__u8 one = 1;

	if (!skb->sk || !read_headers(skb, &ip, &tcp))
		return NEXT;
	struct connection of = { ip.saddr, ip.daddr, tcp.source, tcp.dest };
	if (tcp.syn)
		bpf_map_update_elem(&connections, &of, &one, BPF_ANY);
	else if (!bpf_map_lookup_elem(&connections, &of))
		return NEXT;
	return bpf_redirect(LAYER, 0);
}

SEC("tc")
int arriving(struct __sk_buff *skb)
{
	struct iphdr ip;
	struct tcphdr tcp;

	if (!read_headers(skb, &ip, &tcp))
		return NEXT;
	struct connection of = { ip.daddr, ip.saddr, tcp.dest, tcp.source };
	return bpf_map_lookup_elem(&connections, &of) ? bpf_redirect(LAYER, 0) : NEXT;
}

char _license[] SEC("license") = "Dual MIT/GPL";
