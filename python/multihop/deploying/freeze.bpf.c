// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A congestion control of Linux that keeps its window over an outage of the way.
//
// It is Reno but for two things. A timeout keeps the window and ssthresh of before. When the first new acknowledgment
// comes, and the host has found meanwhile that the way was gone (map `outages`), they are restored. And while timeouts
// follow each other, the timer grows by a step each time. It does not double.
// Both are rules of the modified ATCP (Seok, Park and Choi, section 3).

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define KEEP __attribute__((preserve_access_index)) // members are found by name in the kernel that runs

struct sock_common {
	__be32 skc_daddr;
} KEEP;
struct sock {
	struct sock_common __sk_common;
} KEEP;
struct inet_sock {
	struct sock sk;
} KEEP;
struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u8 icsk_retransmits;
	__u64 icsk_ca_priv[13];
} KEEP;
struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
} KEEP;

enum { CA_OPEN = 0, CA_LOSS = 4 };	// enum tcp_ca_state
enum { EVENT_LOSS = 3 };		// enum tcp_ca_event
enum { NON_RESTRICTED = 1 };		// TCP_CONG_NON_RESTRICTED
enum { LEVEL_TCP = 6, RTO_MAX_MS = 44 };
enum { STEP_MS = 1000 };		// Linux takes no smaller bound of the timer

struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*set_state)(struct sock *sk, __u8 state);
	void (*cwnd_event)(struct sock *sk, int event);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	__u32 flags;
};

extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

// When the way to an address was last found to be back after it had been gone, in ns of CLOCK_MONOTONIC.
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __be32);
	__type(value, __u64);
} outages SEC(".maps");

// How many windows have been restored.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} restored SEC(".maps");

// What a connection remembers, in the room that the kernel gives to a congestion control.
struct kept {
	__u64 lost_at;		// when the first of these timeouts was; 0: there is none
	__u32 cwnd, ssthresh;	// before the last reduction
	__u32 until;		// up to here, what is lost was lost in the outage
	__u32 rto_max_ms;	// the bound of the timer before
	__u8 restored;		// whether `until` holds
};

static struct kept *kept(struct sock *sk)
{
	return (struct kept *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

static int after(__u32 a, __u32 b)
{
	return (__s32)(a - b) > 0;
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(freeze_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct kept *k = kept(sk);

	if (k->restored && !after(tp->snd_una, k->until))
		return k->cwnd;
	k->restored = 0;
	k->cwnd = tp->snd_cwnd;
	k->ssthresh = tp->snd_ssthresh;
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops/cwnd_event")
void BPF_PROG(freeze_event, struct sock *sk, int event)
{
	struct kept *k = kept(sk);

	if (event == EVENT_LOSS && !k->lost_at)
		k->lost_at = bpf_ktime_get_ns();
}

SEC("struct_ops/set_state")
void BPF_PROG(freeze_state, struct sock *sk, __u8 state)
{
	struct kept *k = kept(sk);
	int bound;

	if (state == CA_LOSS) {
		if (!k->rto_max_ms && !bpf_getsockopt(sk, LEVEL_TCP, RTO_MAX_MS, &bound, sizeof(bound)))
			k->rto_max_ms = bound;
		bound = STEP_MS * (((struct inet_connection_sock *)sk)->icsk_retransmits + 1);
		if (k->rto_max_ms && bound < k->rto_max_ms)
			bpf_setsockopt(sk, LEVEL_TCP, RTO_MAX_MS, &bound, sizeof(bound));
	} else if (state == CA_OPEN && k->rto_max_ms) {
		bound = k->rto_max_ms;
		bpf_setsockopt(sk, LEVEL_TCP, RTO_MAX_MS, &bound, sizeof(bound));
		k->rto_max_ms = 0;
	}
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(freeze_acked, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct kept *k = kept(sk);
	__be32 to = sk->__sk_common.skc_daddr;
	__u64 *back, *count, lost_at = k->lost_at;
	__u32 zero = 0;

	k->lost_at = 0;
	if (lost_at && (back = bpf_map_lookup_elem(&outages, &to)) && *back >= lost_at) {
		tp->snd_cwnd = k->cwnd;
		tp->snd_ssthresh = k->ssthresh;
		k->until = tp->snd_nxt;
		k->restored = 1;
		if ((count = bpf_map_lookup_elem(&restored, &zero)))
			__sync_fetch_and_add(count, 1);
		return;
	}
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(freeze_undo, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops freeze = {
	.ssthresh = (void *)freeze_ssthresh,
	.cong_avoid = (void *)freeze_acked,
	.set_state = (void *)freeze_state,
	.cwnd_event = (void *)freeze_event,
	.undo_cwnd = (void *)freeze_undo,
	.flags = NON_RESTRICTED,
	.name = NAME,
};

char _license[] SEC("license") = "GPL";
