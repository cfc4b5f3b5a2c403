/* SPDX-License-Identifier: Apache-2.0 */
/* Module annotations mean nothing in a shared library. */
#ifndef REFERENCE_LINUX_MODULE_H
#define REFERENCE_LINUX_MODULE_H

#define EXPORT_SYMBOL_GPL(name) _Static_assert(1, #name)
#define MODULE_LICENSE(text) _Static_assert(1, text)
#define MODULE_DESCRIPTION(text) _Static_assert(1, text)

#endif
