/* SPDX-License-Identifier: GPL-2.0-only */
/* Where kernels differ in how one is told that memory is short; see page/compat.h. */
#ifndef PAGEPRESS_POLICY_COMPAT_H
#define PAGEPRESS_POLICY_COMPAT_H

#include <linux/shrinker.h>
#include <linux/slab.h>

#include "page/compat.h"

typedef unsigned long pagepress_shrinker_call(struct shrinker *, struct shrink_control *);

#ifdef PAGEPRESS_HAS_SHRINKER_ALLOC
/* NULL without memory. */
static inline struct shrinker *pagepress_shrinker_create(pagepress_shrinker_call *count,
							 pagepress_shrinker_call *scan,
							 void *owner)
{
	struct shrinker *shrinker = shrinker_alloc(0, "pagepress-pool");

	if (!shrinker)
		return NULL;
	shrinker->count_objects = count;
	shrinker->scan_objects = scan;
	shrinker->private_data = owner;
	shrinker_register(shrinker);
	return shrinker;
}

static inline void *pagepress_shrinker_owner(struct shrinker *shrinker)
{
	return shrinker->private_data;
}

/* Waits for its calls. NULL is allowed. */
static inline void pagepress_shrinker_destroy(struct shrinker *shrinker)
{
	shrinker_free(shrinker);
}
#else
struct pagepress_owned_shrinker {
	struct shrinker shrinker; /* first: one is the other */
	void *owner;
};

static inline struct shrinker *pagepress_shrinker_create(pagepress_shrinker_call *count,
							 pagepress_shrinker_call *scan,
							 void *owner)
{
	struct pagepress_owned_shrinker *owned = kzalloc(sizeof(*owned), GFP_KERNEL);

	if (!owned)
		return NULL;
	owned->shrinker.count_objects = count;
	owned->shrinker.scan_objects = scan;
	owned->shrinker.seeks = DEFAULT_SEEKS;
	owned->owner = owner;
	if (!register_shrinker(&owned->shrinker, "pagepress-pool"))
		return &owned->shrinker;
	kfree(owned);
	return NULL;
}

static inline void *pagepress_shrinker_owner(struct shrinker *shrinker)
{
	return container_of(shrinker, struct pagepress_owned_shrinker, shrinker)->owner;
}

static inline void pagepress_shrinker_destroy(struct shrinker *shrinker)
{
	if (!shrinker)
		return;
	unregister_shrinker(shrinker);
	kfree(container_of(shrinker, struct pagepress_owned_shrinker, shrinker));
}
#endif

#endif
