// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Which timers expire, by function and CPU, and how often other CPUs' timers are run here. */
#include "kernel.h"

struct of {
	u64 function;
	u32 high_resolution;
	u32 unused;
};

enum tally { NO_ROOM, REMOTE, TALLIES };

struct {
	UINT(type, PERCPU_HASH);
	UINT(max_entries, 1024);
	TYPE(key, struct of);
	TYPE(value, u64);
} expired SEC(".maps");

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

INLINE int expire(void *function, u32 high_resolution)
{
	struct of of = { .function = (u64)function, .high_resolution = high_resolution };
	u64 *count = lookup(&expired, &of);

	if (count) {
		*count += 1;
	} else {
		u64 one = 1;

		if (update(&expired, &of, &one, IF_ABSENT))
			tally(NO_ROOM);
	}
	return 0;
}

SEC("raw_tp/timer_expire_entry") int timer(u64 *arguments)
{
	return expire(READ((struct timer_list *)arguments[0], function), 0);
}

SEC("raw_tp/hrtimer_expire_entry") int hrtimer(u64 *arguments)
{
	return expire(READ((struct hrtimer *)arguments[0], function), 1);
}

/* Since Linux 6.9: this CPU runs the timers of another one that sleeps. */
SEC("raw_tp/tmigr_handle_remote_cpu") int remote(u64 *arguments)
{
	tally(REMOTE);
	return 0;
}
