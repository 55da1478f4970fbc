// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Which transmit queue each flow uses and on which CPU, and how long packets wait between the
 * qdisc and the driver: from net:net_dev_queue to net:net_dev_start_xmit of the same packet. A
 * packet that is cut into segments in between has new buffers and no wait.
 *
 * And how many packets a qdisc gives away at a time: qdisc:qdisc_dequeue tells of each batch that
 * goes to the driver with one take of the transmit lock (dequeue_skb() in net/sched/sch_generic.c).
 */
#include "kernel.h"

#define BUCKETS 32

struct queue {
	char device[16];
	u32 queue;
	u32 unused;
};

struct flow {
	struct queue queue;
	u32 cpu;
	u16 local;
	u16 remote;
};

struct waits {
	u64 count;
	u64 total_ns;
	u64 longest_ns;
	u64 packets;
	u64 bytes;
	u64 buckets[BUCKETS];
};

struct from {
	char device[16];
	u32 queue;
	u32 handle;
};

struct batches {
	u64 count;
	u64 packets;
	u64 largest;
	u64 empty;
	u64 buckets[BUCKETS];
};

enum tally { NO_ROOM, TALLIES };

struct {
	UINT(type, LRU_HASH);
	UINT(max_entries, 65536);
	TYPE(key, u64);
	TYPE(value, u64);
} queued SEC(".maps");

struct {
	UINT(type, HASH);
	UINT(max_entries, 1024);
	TYPE(key, struct queue);
	TYPE(value, struct waits);
} queues SEC(".maps");

struct {
	UINT(type, HASH);
	UINT(max_entries, 16384);
	TYPE(key, struct flow);
	TYPE(value, u64);
} flows SEC(".maps");

struct {
	UINT(type, HASH);
	UINT(max_entries, 1024);
	TYPE(key, struct from);
	TYPE(value, struct batches);
} dequeued SEC(".maps");

struct {
	UINT(type, PERCPU_ARRAY);
	UINT(max_entries, TALLIES);
	TYPE(key, u32);
	TYPE(value, u64);
} tallies SEC(".maps");

INLINE void lose(void)
{
	u32 which = NO_ROOM;
	u64 *count = lookup(&tallies, &which);

	if (count)
		*count += 1;
}

SEC("raw_tp/net_dev_queue") int queue(u64 *arguments)
{
	u64 packet = arguments[0];
	u64 now = now_ns();

	update(&queued, &packet, &now, ANY);
	return 0;
}

INLINE void of_flow(struct sk_buff *packet, struct queue *queue)
{
	struct sock *sock = READ(packet, sk);
	struct flow flow = {};

	if (!sock)
		return;
	flow.queue = *queue;
	flow.cpu = this_cpu();
	flow.local = READ(sock, __sk_common.skc_num);
	flow.remote = READ(sock, __sk_common.skc_dport);
	u64 *count = lookup(&flows, &flow);

	if (count) {
		ADD(*count, 1);
	} else {
		u64 one = 1;

		if (update(&flows, &flow, &one, IF_ABSENT))
			lose();
	}
}

SEC("raw_tp/net_dev_start_xmit") int transmit(u64 *arguments)
{
	struct sk_buff *packet = (void *)arguments[0];
	struct net_device *device = (void *)arguments[1];
	struct queue queue = {};
	u64 key = arguments[0];
	u64 now = now_ns();
	u64 *at = lookup(&queued, &key);
	u64 since = at ? *at : 0;

	if (since)
		delete(&queued, &key);
	peek(queue.device, sizeof(queue.device), &device->name);
	queue.queue = READ(packet, queue_mapping);
	of_flow(packet, &queue);
	struct waits *waits = lookup(&queues, &queue);

	if (!waits) {
		struct waits none = {};

		update(&queues, &queue, &none, IF_ABSENT);
		waits = lookup(&queues, &queue);
		if (!waits) {
			lose();
			return 0;
		}
	}
	ADD(waits->packets, 1);
	ADD(waits->bytes, (u64)READ(packet, len));
	if (!since || now < since)
		return 0;
	u64 wait = now - since;

	ADD(waits->count, 1);
	ADD(waits->total_ns, wait);
	if (wait > waits->longest_ns)
		waits->longest_ns = wait;
	ADD(waits->buckets[log2_of(wait, BUCKETS - 1) & (BUCKETS - 1)], 1);
	return 0;
}

SEC("raw_tp/qdisc_dequeue") int dequeue(u64 *arguments)
{
	struct Qdisc *qdisc = (void *)arguments[0];
	struct netdev_queue *queue = (void *)arguments[1];
	u64 packets = (u32)arguments[2];
	struct net_device *device = READ(queue, dev);
	struct from from = {};

	peek(from.device, sizeof(from.device), &device->name);
	from.queue = number_of(queue, device);
	from.handle = READ(qdisc, handle);
	struct batches *batches = lookup(&dequeued, &from);

	if (!batches) {
		struct batches none = {};

		update(&dequeued, &from, &none, IF_ABSENT);
		batches = lookup(&dequeued, &from);
		if (!batches) {
			lose();
			return 0;
		}
	}
	/* A qdisc that was asked and had nothing. */
	if (!arguments[3]) {
		ADD(batches->empty, 1);
		return 0;
	}
	ADD(batches->count, 1);
	ADD(batches->packets, packets);
	if (packets > batches->largest)
		batches->largest = packets;
	ADD(batches->buckets[log2_of(packets, BUCKETS - 1) & (BUCKETS - 1)], 1);
	return 0;
}
