// SPDX-License-Identifier: GPL-2.0-only
/*
 * An image on its way to the slot that does not run: begun, its pieces in order, checked by the
 * firmware. Until that check has passed, nothing of it counts; the running image goes on.
 */
#include "management/management.h"

static const char * const stays = "the running image stays";

/*
 * Keeps the verdict, says what went wrong and, without an answer, what of it, and makes an errno of
 * it.
 */
static int judged(struct pagepress_management *management, const char *what, int status,
		  const char *unanswered)
{
	struct device *device = management->card->device;

	WRITE_ONCE(management->update_status, status);
	if (status > 0)
		dev_err(device, "firmware update refused at %s: %s; %s\n", what,
			pagepress_management_status_name(status), stays);
	else if (status)
		dev_err(device, "firmware update failed at %s (%d); %s\n", what, status,
			unanswered);
	return pagepress_management_errno(status);
}

static int send(struct pagepress_management *management, const char *what, u16 kind, u32 argument,
		const void *payload, size_t bytes, const char *unanswered)
{
	int status = -ECANCELED;

	if (!READ_ONCE(management->cancelled))
		status = pagepress_message(management, kind, argument, payload, bytes, NULL, 0);
	return judged(management, what, status, unanswered);
}

/* -EBUSY: another is under way. Once it is 0, end with pagepress_update_end(). */
int pagepress_update_begin(struct pagepress_management *management, size_t bytes)
{
	int error;

	if (test_and_set_bit(0, &management->updating))
		return -EBUSY;
	WRITE_ONCE(management->cancelled, false);
	/* Before the card is asked: no room is kept for what cannot be an image. */
	if (bytes > PAGEPRESS_IMAGE_MAX_BYTES)
		error = judged(management, "its size", PAGEPRESS_MANAGEMENT_STATUS_IMAGE_TOO_LARGE,
			       stays);
	else
		error = send(management, "its begin", PAGEPRESS_MESSAGE_UPDATE_BEGIN, bytes, NULL,
			     0, stays);
	if (error)
		pagepress_update_end(management);
	return error;
}

/* As much as a message takes, from offset on. */
int pagepress_update_piece(struct pagepress_management *management, const u8 *image, size_t bytes,
			   size_t offset, size_t *written)
{
	size_t piece = min_t(size_t, bytes - offset, PAGEPRESS_MESSAGE_PAYLOAD_BYTES);

	*written = piece;
	return send(management, "a piece", PAGEPRESS_MESSAGE_UPDATE_DATA, offset, image + offset,
		    piece, stays);
}

int pagepress_update_commit(struct pagepress_management *management)
{
	/* The firmware may have taken it, and have been reset before it could say so. */
	int error = send(management, "its check", PAGEPRESS_MESSAGE_UPDATE_COMMIT, 0, NULL, 0,
			 "the next restart boots it on trial if it was taken");

	if (!error)
		dev_info(management->card->device,
			 "firmware update complete: the firmware's next restart boots it on trial\n");
	return error;
}

void pagepress_update_end(struct pagepress_management *management)
{
	clear_bit_unlock(0, &management->updating);
}
