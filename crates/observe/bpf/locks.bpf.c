// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Waits for locks, by lock, from the events lock:contention_begin and contention_end. Which locks
 * belong to a qdisc or a transmit queue is told by their addresses, which the qdisc events give.
 *
 * Wait times come from pairs of events about one lock. What a spinning waiter began is kept by CPU,
 * for each depth to which interrupts may nest it; an end without its own begin counts as unmatched
 * and never as a wait.
 */
#include "kernel.h"

/* include/trace/events/lock.h */
#define SPIN 1
#define MUTEX 32

#define DEPTH 4
#define BUCKETS 32
#define FRAMES 16
/* A wait above 10 us probably holds a halt and a kick of a paravirtual lock. */
#define LONG_NS 10000

struct begun {
	u64 at;
	u64 lock;
};

struct waits {
	u64 count;
	u64 total_ns;
	u64 longest_ns;
	u64 long_count;
	u64 long_ns;
	u64 flags;
	u64 buckets[BUCKETS];
};

struct owner {
	char device[16];
	u32 queue;
	u32 role;
	u32 handle;
	u32 unused;
};

enum role { ROOT, BUSY, SEQUENCE, TRANSMIT };

enum tally { EVENTS, NO_ROOM, STALE, UNMATCHED, TALLIES };

struct {
	UINT(type, PERCPU_ARRAY);
	UINT(max_entries, 1);
	TYPE(key, u32);
	TYPE(value, struct begun[DEPTH]);
} spinning SEC(".maps");

struct {
	UINT(type, HASH);
	UINT(max_entries, 8192);
	TYPE(key, u32);
	TYPE(value, struct begun);
} sleeping SEC(".maps");

struct {
	UINT(type, HASH);
	UINT(max_entries, 4096);
	TYPE(key, u64);
	TYPE(value, struct waits);
} waited SEC(".maps");

struct {
	UINT(type, HASH);
	UINT(max_entries, 4096);
	TYPE(key, u64);
	TYPE(value, u64[FRAMES]);
} callers SEC(".maps");

struct {
	UINT(type, HASH);
	UINT(max_entries, 4096);
	TYPE(key, u64);
	TYPE(value, struct owner);
} owners SEC(".maps");

/* The qdisc that each CPU met last. */
struct {
	UINT(type, PERCPU_ARRAY);
	UINT(max_entries, 1);
	TYPE(key, u32);
	TYPE(value, u64);
} met SEC(".maps");

struct {
	UINT(type, PERCPU_ARRAY);
	UINT(max_entries, TALLIES);
	TYPE(key, u32);
	TYPE(value, u64);
} tallies SEC(".maps");

INLINE void tally(u32 which)
{
	u64 *count = lookup(&tallies, &which);

	if (count)
		*count += 1;
}

INLINE int by_cpu(u64 flags)
{
	return flags & SPIN && !(flags & MUTEX);
}

INLINE int begin(u64 lock, u64 flags)
{
	u32 zero = 0;

	tally(EVENTS);
	if (!by_cpu(flags)) {
		u32 task = (u32)this_task();
		struct begun begun = { .at = now_ns(), .lock = lock };

		if (update(&sleeping, &task, &begun, ANY))
			tally(NO_ROOM);
		return 0;
	}
	struct begun *slots = lookup(&spinning, &zero);

	if (!slots)
		return 0;
	for (int i = 0; i < DEPTH; i++) {
		if (slots[i].lock && slots[i].lock != lock)
			continue;
		if (slots[i].lock)
			tally(STALE);
		slots[i].lock = lock;
		slots[i].at = now_ns();
		return 0;
	}
	/* Deeper than interrupts nest: their ends were lost. */
	tally(STALE);
	for (int i = 1; i < DEPTH; i++)
		slots[i].lock = 0;
	slots[0].lock = lock;
	slots[0].at = now_ns();
	return 0;
}

INLINE void count(void *context, u64 lock, u64 wait)
{
	struct waits *waits = lookup(&waited, &lock);

	if (!waits) {
		struct waits none = {};
		u64 frames[FRAMES] = {};

		if (update(&waited, &lock, &none, IF_ABSENT)) {
			/* Another CPU may have been first. */
			waits = lookup(&waited, &lock);
			if (!waits) {
				tally(NO_ROOM);
				return;
			}
		} else if (stack_of(context, frames, sizeof(frames), 0) > 0) {
			update(&callers, &lock, frames, ANY);
		}
		waits = lookup(&waited, &lock);
		if (!waits)
			return;
	}
	ADD(waits->count, 1);
	ADD(waits->total_ns, wait);
	/* Two CPUs may race here: the loser's wait is in the buckets all the same. */
	if (wait > waits->longest_ns)
		waits->longest_ns = wait;
	if (wait > LONG_NS) {
		ADD(waits->long_count, 1);
		ADD(waits->long_ns, wait);
	}
	ADD(waits->buckets[log2_of(wait, BUCKETS - 1) & (BUCKETS - 1)], 1);
}

INLINE int end(void *context, u64 lock)
{
	u32 zero = 0;
	u64 now = now_ns();
	struct begun *slots = lookup(&spinning, &zero);

	if (slots) {
		for (int i = DEPTH - 1; i >= 0; i--) {
			if (slots[i].lock != lock)
				continue;
			u64 at = slots[i].at;

			slots[i].lock = 0;
			count(context, lock, now - at);
			return 0;
		}
	}
	u32 task = (u32)this_task();
	struct begun *begun = lookup(&sleeping, &task);

	if (begun && begun->lock == lock) {
		u64 at = begun->at;

		delete(&sleeping, &task);
		count(context, lock, now - at);
		return 0;
	}
	tally(UNMATCHED);
	return 0;
}

INLINE void own(u64 lock, struct owner *owner, u32 role)
{
	owner->role = role;
	update(&owners, &lock, owner, ANY);
}

INLINE int meet(struct Qdisc *qdisc, struct netdev_queue *queue)
{
	u32 zero = 0;
	u64 *last = lookup(&met, &zero);

	if (!last || *last == (u64)qdisc)
		return 0;
	*last = (u64)qdisc;
	u64 root = (u64)&qdisc->q.lock;

	if (lookup(&owners, &root))
		return 0;
	struct net_device *device = READ(queue, dev);
	struct owner owner = {};

	peek(owner.device, sizeof(owner.device), &device->name);
	owner.queue = number_of(queue, device);
	owner.handle = READ(qdisc, handle);
	own(root, &owner, ROOT);
	if (HAS(qdisc->busylock))
		own((u64)&qdisc->busylock, &owner, BUSY);
	if (HAS(qdisc->seqlock))
		own((u64)&qdisc->seqlock, &owner, SEQUENCE);
	own((u64)&queue->_xmit_lock, &owner, TRANSMIT);
	return 0;
}

/* One body for each way to attach: where the arguments lie differs. */
SEC("tp_btf/contention_begin") int begin_btf(u64 *arguments)
{
	return begin(arguments[0], arguments[1]);
}

SEC("tp_btf/contention_end") int end_btf(u64 *arguments)
{
	return end(arguments, arguments[0]);
}

SEC("raw_tp/contention_begin") int begin_raw(u64 *arguments)
{
	return begin(arguments[0], arguments[1]);
}

SEC("raw_tp/contention_end") int end_raw(u64 *arguments)
{
	return end(arguments, arguments[0]);
}

struct event {
	u64 common;
	u64 lock;
	u32 value;
};

SEC("tracepoint/lock/contention_begin") int begin_perf(struct event *event)
{
	return begin(event->lock, event->value);
}

SEC("tracepoint/lock/contention_end") int end_perf(struct event *event)
{
	return end(event, event->lock);
}

SEC("raw_tp/qdisc_enqueue") int enqueue_raw(u64 *arguments)
{
	return meet((void *)arguments[0], (void *)arguments[1]);
}

SEC("raw_tp/qdisc_dequeue") int dequeue_raw(u64 *arguments)
{
	return meet((void *)arguments[0], (void *)arguments[1]);
}
