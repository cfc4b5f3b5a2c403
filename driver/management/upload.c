// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who brings an image: the kernel's firmware-upload interface (/sys/class/firmware), or, where a
 * kernel was built without (CONFIG_FW_UPLOAD; Debian 12 is), a file of debugfs.
 */
#include <linux/debugfs.h>
#include <linux/firmware.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "management/compat.h"
#include "management/management.h"

/* Kept as long as it is registered: the kernel does not copy it. */
static const char *name(struct pagepress_management *management)
{
	snprintf(management->upload_name, sizeof(management->upload_name), KBUILD_MODNAME "-%s",
		 dev_name(management->card->device));
	return management->upload_name;
}

#ifdef CONFIG_FW_UPLOAD
/* What the interface can say of it; update_status and the kernel's log say more. */
static enum fw_upload_err as_upload_error(int error)
{
	switch (error) {
	case 0:
		return FW_UPLOAD_ERR_NONE;
	case -ETIMEDOUT:
	case -ETIME:
		return FW_UPLOAD_ERR_TIMEOUT;
	case -ECANCELED:
		return FW_UPLOAD_ERR_CANCELED;
	case -EBUSY:
		return FW_UPLOAD_ERR_BUSY;
	case -EFBIG:
		return FW_UPLOAD_ERR_INVALID_SIZE;
	case -EBADMSG:
	case -ENOEXEC:
	case -EKEYREJECTED:
	case -EKEYEXPIRED:
		return PAGEPRESS_UPLOAD_INVALID;
	default:
		return FW_UPLOAD_ERR_HW_ERROR;
	}
}

static enum fw_upload_err prepare(struct fw_upload *upload, const u8 *image, u32 bytes)
{
	return as_upload_error(pagepress_update_begin(upload->dd_handle, bytes));
}

/* `image` is the whole of it, bytes what is left from offset on. */
static enum fw_upload_err write(struct fw_upload *upload, const u8 *image, u32 offset, u32 bytes,
				u32 *written)
{
	size_t piece;
	int error = pagepress_update_piece(upload->dd_handle, image, offset + bytes, offset,
					   &piece);

	*written = piece;
	return as_upload_error(error);
}

static enum fw_upload_err poll_complete(struct fw_upload *upload)
{
	return as_upload_error(pagepress_update_commit(upload->dd_handle));
}

static void cancel(struct fw_upload *upload)
{
	struct pagepress_management *management = upload->dd_handle;

	WRITE_ONCE(management->cancelled, true);
}

static void cleanup(struct fw_upload *upload)
{
	pagepress_update_end(upload->dd_handle);
}

static const struct fw_upload_ops upload_operations = {
	.prepare = prepare,
	.write = write,
	.poll_complete = poll_complete,
	.cancel = cancel,
	.cleanup = cleanup,
};

void pagepress_upload_register(struct pagepress_management *management)
{
	struct device *device = management->card->device;
	/*
	 * No module is named: the reference would keep the driver loaded while there is a card. It
	 * is not needed, as an upload under way has ended before we are gone.
	 */
	struct fw_upload *upload = firmware_upload_register(NULL, device, name(management),
							    &upload_operations, management);

	if (IS_ERR(upload))
		dev_warn(device, "the firmware cannot be updated from here (%ld)\n",
			 PTR_ERR(upload));
	else
		management->upload = upload;
}

/* The card is away: an upload under way ends with its next message. */
void pagepress_upload_unregister(struct pagepress_management *management)
{
	if (management->upload)
		firmware_upload_unregister(management->upload);
}
#else
static int take(struct pagepress_management *management, const u8 *image, size_t bytes)
{
	size_t offset, written;
	int error = pagepress_update_begin(management, bytes);

	if (error)
		return error;
	for (offset = 0; offset < bytes && !error; offset += written) {
		error = pagepress_update_piece(management, image, bytes, offset, &written);
		if (!error && fatal_signal_pending(current))
			error = -EINTR;
	}
	if (!error)
		error = pagepress_update_commit(management);
	pagepress_update_end(management);
	return error;
}

/* One write is one image, and its errno the verdict. */
static ssize_t image_write(struct file *file, const char __user *buffer, size_t bytes,
			   loff_t *position)
{
	struct pagepress_management *management = file->private_data;
	u8 *image;
	int error;

	if (*position)
		return -ESPIPE;
	/* A byte more than an image may have is enough to see that it is too large. */
	image = vmemdup_user(buffer, min_t(size_t, bytes, PAGEPRESS_IMAGE_MAX_BYTES + 1));
	if (IS_ERR(image))
		return PTR_ERR(image);
	error = take(management, image, bytes);
	kvfree(image);
	if (error)
		return error;
	*position = bytes;
	return bytes;
}

static const struct file_operations image_operations = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = image_write,
	.llseek = noop_llseek,
};

/* Without debugfs, or where lockdown forbids it, there is no update from this kernel. */
void pagepress_upload_register(struct pagepress_management *management)
{
	management->upload_file = debugfs_create_file(name(management), 0200, NULL, management,
						      &image_operations);
}

/* The card is away: a write under way ends with its next message. */
void pagepress_upload_unregister(struct pagepress_management *management)
{
	debugfs_remove(management->upload_file);
}
#endif
