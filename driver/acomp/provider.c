// SPDX-License-Identifier: GPL-2.0-only
/*
 * The algorithm as the crypto API knows it. In this module, not in one of its own: card/ has no
 * symbols for others, and a second module would make an interface of what may change.
 */
#include <linux/module.h>

#include "acomp/compat.h"
#include "acomp/request.h"

/* Above software, which has 0, and where the kernel's drivers for hardware are. */
#define PRIORITY 300

static int serve(struct acomp_req *request, bool compress)
{
	if (!request->src || !request->slen || (request->dst && !request->dlen))
		return -EINVAL;
	if (pagepress_acomp_offload(request, compress))
		return -EINPROGRESS;
	return pagepress_acomp_software(request, compress);
}

static int compress(struct acomp_req *request)
{
	return serve(request, true);
}

static int decompress(struct acomp_req *request)
{
	return serve(request, false);
}

static struct acomp_alg algorithm = {
	.compress = compress,
	.decompress = decompress,
	PAGEPRESS_ACOMP_OUTPUT
	.base.cra_name = "lzo",
	.base.cra_driver_name = "lzo-" KBUILD_MODNAME,
	.base.cra_priority = PRIORITY,
	.base.cra_flags = CRYPTO_ALG_ASYNC,
	.base.cra_module = THIS_MODULE,
};

int pagepress_acomp_init(void)
{
	int error;

	if (!pagepress_acomp_wanted)
		return 0;
	error = pagepress_acomp_software_init();
	if (error)
		return error;
	error = pagepress_witness_init();
	if (error)
		goto exit_software;
	error = crypto_register_acomp(&algorithm);
	if (error)
		goto exit_witness;
	return 0;

exit_witness:
	pagepress_witness_exit();
exit_software:
	pagepress_acomp_software_exit();
	return error;
}

/* Nobody uses the algorithm: each user holds this module. So no request is under way. */
void pagepress_acomp_exit(void)
{
	if (!pagepress_acomp_wanted)
		return;
	crypto_unregister_acomp(&algorithm);
	pagepress_witness_exit();
	pagepress_acomp_software_exit();
}
