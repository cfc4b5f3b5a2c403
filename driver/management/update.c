// SPDX-License-Identifier: GPL-2.0-only
/*
 * An image on its way to the slot that does not run: begun, its pieces in order, checked by the
 * firmware. Until that check has passed, nothing of it counts; the running image goes on.
 */
#include "management/management.h"

static const char stays[] = "the running image stays";

/* What is asked of the firmware, and what becomes of it where no answer comes. */
struct step {
	const char *name;
	u16 kind;
	const char *unanswered;
};

static const struct step size = { .name = "its size" }; /* judged here: nothing is asked */
static const struct step begin = { "its begin", PAGEPRESS_MESSAGE_UPDATE_BEGIN, stays };
static const struct step piece = { "a piece", PAGEPRESS_MESSAGE_UPDATE_DATA, stays };
/* The firmware may have taken it, and have been reset before it could say so. */
static const struct step check = { "its check", PAGEPRESS_MESSAGE_UPDATE_COMMIT,
				   "the next restart boots it on trial if it was taken" };

/* Keeps the verdict, says what went wrong, and makes an errno of it. */
static int judged(struct pagepress_management *management, const struct step *step, int status)
{
	struct device *device = management->card->device;

	WRITE_ONCE(management->update_status, status);
	if (status > 0)
		dev_err(device, "firmware update refused at %s: %s; %s\n", step->name,
			pagepress_management_status_name(status), stays);
	else if (status)
		dev_err(device, "firmware update failed at %s (%d); %s\n", step->name, status,
			step->unanswered);
	return pagepress_management_errno(status);
}

static int send(struct pagepress_management *management, const struct step *step, u32 argument,
		const void *payload, size_t bytes)
{
	int status = -ECANCELED;

	if (!READ_ONCE(management->cancelled))
		status = pagepress_message(management, step->kind, argument, payload, bytes, NULL,
					   0);
	return judged(management, step, status);
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
		error = judged(management, &size, PAGEPRESS_MANAGEMENT_STATUS_IMAGE_TOO_LARGE);
	else
		error = send(management, &begin, bytes, NULL, 0);
	if (error)
		pagepress_update_end(management);
	return error;
}

/* As much as a message takes, from offset on. */
int pagepress_update_piece(struct pagepress_management *management, const u8 *image, size_t bytes,
			   size_t offset, size_t *written)
{
	*written = min_t(size_t, bytes - offset, PAGEPRESS_MESSAGE_PAYLOAD_BYTES);
	return send(management, &piece, offset, image + offset, *written);
}

int pagepress_update_commit(struct pagepress_management *management)
{
	int error = send(management, &check, 0, NULL, 0);

	if (!error)
		dev_info(management->card->device,
			 "firmware update complete: the firmware's next restart boots it on trial\n");
	return error;
}

void pagepress_update_end(struct pagepress_management *management)
{
	clear_bit_unlock(0, &management->updating);
}
