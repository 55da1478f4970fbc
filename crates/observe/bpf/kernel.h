/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the programs here use of the kernel: helpers by their numbers (include/uapi/linux/bpf.h),
 * map definitions, and of its types only the fields that are read. Where a field lies is filled in
 * when a program is loaded, from the running kernel's type information.
 */
#ifndef NETDYNO_KERNEL_H
#define NETDYNO_KERNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))
#define RELOCATED __attribute__((preserve_access_index))

/* enum bpf_map_type */
#define HASH 1
#define ARRAY 2
#define PERCPU_HASH 5
#define PERCPU_ARRAY 6
#define LRU_HASH 9

/* Flags of bpf_map_update_elem */
#define ANY 0
#define IF_ABSENT 1

#define UINT(name, value) int(*name)[value]
#define TYPE(name, value) __typeof__(value) *name

static void *(*const lookup)(void *map, const void *key) = (void *)1;
static long (*const update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*const delete)(void *map, const void *key) = (void *)3;
static u64 (*const now_ns)(void) = (void *)5;
static u32 (*const this_cpu)(void) = (void *)8;
static u64 (*const this_task)(void) = (void *)14;
static long (*const stack_of)(void *context, void *buffer, u32 size, u64 flags) = (void *)67;
static long (*const peek)(void *to, u32 size, const void *from) = (void *)113;

#define READ(pointer, field)                                                                       \
	({                                                                                         \
		__typeof__((pointer)->field) value_ = 0;                                           \
		peek(&value_, sizeof(value_), &(pointer)->field);                                  \
		value_;                                                                            \
	})

/* Does this kernel have the field? */
#define HAS(field) __builtin_preserve_field_info(field, 2)
/* How long is the type in this kernel? */
#define SIZE(type) __builtin_preserve_type_info(*(type *)0, 1)

struct spinlock {
	int unused;
} RELOCATED;

struct net_device {
	char name[16];
	int ifindex;
	struct netdev_queue *_tx;
} RELOCATED;

struct netdev_queue {
	struct net_device *dev;
	struct spinlock _xmit_lock;
} RELOCATED;

struct qdisc_skb_head {
	struct spinlock lock;
} RELOCATED;

struct Qdisc {
	u32 handle;
	struct netdev_queue *dev_queue;
	struct qdisc_skb_head q;
	struct spinlock busylock;
	struct spinlock seqlock;
} RELOCATED;

struct sock_common {
	u16 skc_dport;
	u16 skc_num;
	u16 skc_family;
} RELOCATED;

struct sock {
	struct sock_common __sk_common;
} RELOCATED;

struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
	u16 queue_mapping;
	u32 len;
} RELOCATED;

struct timer_list {
	void *function;
} RELOCATED;

struct hrtimer {
	void *function;
} RELOCATED;

/* Adds to a number that other CPUs add to. */
#define ADD(place, amount) __sync_fetch_and_add(&(place), (amount))

/* floor(log2(value)), at most `top`; 0 for 0. */
INLINE u32 log2_of(u64 value, u32 top)
{
	u32 bits = 0;

	if (value >> 32) {
		value >>= 32;
		bits += 32;
	}
	if (value >> 16) {
		value >>= 16;
		bits += 16;
	}
	if (value >> 8) {
		value >>= 8;
		bits += 8;
	}
	if (value >> 4) {
		value >>= 4;
		bits += 4;
	}
	if (value >> 2) {
		value >>= 2;
		bits += 2;
	}
	bits += value >> 1 & 1;
	return bits < top ? bits : top;
}

/* The queue's number on its device. */
INLINE u32 number_of(struct netdev_queue *queue, struct net_device *device)
{
	u64 first = (u64)READ(device, _tx);
	u64 size = SIZE(struct netdev_queue);

	return first && size ? ((u64)queue - first) / size : 0;
}

char licence[] SEC("license") = "Dual MIT/GPL";

#endif
