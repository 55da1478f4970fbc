// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Drops every hundredth packet that comes to where it is attached: a path with a loss that no
 * counter of the host has. For tests.
 */
#include "kernel.h"

#define EVERY 100
/* include/uapi/linux/pkt_cls.h */
#define NEXT -1
#define SHOT 2

struct {
	UINT(type, ARRAY);
	UINT(max_entries, 1);
	TYPE(key, u32);
	TYPE(value, u64);
} seen SEC(".maps");

SEC("classifier") int drop(void *packet)
{
	u32 zero = 0;
	u64 *count = lookup(&seen, &zero);

	if (!count)
		return NEXT;
	return __sync_fetch_and_add(count, 1) % EVERY == EVERY - 1 ? SHOT : NEXT;
}
