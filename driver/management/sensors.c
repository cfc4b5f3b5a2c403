// SPDX-License-Identifier: GPL-2.0-only
/* Temperatures and voltages for hwmon, where the kernel has it: each read asks the firmware. */
#include <linux/hwmon.h>

#include "management/management.h"

#if IS_REACHABLE(CONFIG_HWMON)
#define MILLIDEGREES 10 /* in a unit of the telemetry, 0.01 degrees Celsius */

static const char *const voltages[] = { "core", "auxiliary", "memory" };

static bool silent(const struct pagepress_telemetry *telemetry, unsigned int sensor)
{
	return telemetry->sensors_silent & BIT(sensor);
}

static int read_temperature(const struct pagepress_telemetry *telemetry, u32 attribute, long *value)
{
	bool is_silent = silent(telemetry, PAGEPRESS_SENSOR_TEMPERATURE);

	switch (attribute) {
	case hwmon_temp_input:
		if (is_silent)
			return -ENODATA;
		*value = (s32)le32_to_cpu(telemetry->temperature) * MILLIDEGREES;
		return 0;
	case hwmon_temp_highest:
		if (is_silent)
			return -ENODATA;
		*value = (s32)le32_to_cpu(telemetry->temperature_peak) * MILLIDEGREES;
		return 0;
	case hwmon_temp_max:
		*value = le16_to_cpu(telemetry->temperature_begin) * MILLIDEGREES;
		return 0;
	case hwmon_temp_crit:
		*value = le16_to_cpu(telemetry->temperature_hardest) * MILLIDEGREES;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int read_voltage(const struct pagepress_telemetry *telemetry, int channel, long *value)
{
	const __le16 millivolts[] = { telemetry->voltage_core, telemetry->voltage_aux,
				      telemetry->voltage_memory };

	if (silent(telemetry, PAGEPRESS_SENSOR_VOLTAGE_CORE + channel))
		return -ENODATA;
	*value = le16_to_cpu(millivolts[channel]);
	return 0;
}

static int read(struct device *device, enum hwmon_sensor_types type, u32 attribute, int channel,
		long *value)
{
	struct pagepress_telemetry telemetry;
	int error = pagepress_ask(dev_get_drvdata(device), PAGEPRESS_MESSAGE_TELEMETRY, 0,
				  &telemetry, sizeof(telemetry));

	if (error)
		return error;
	return type == hwmon_temp ? read_temperature(&telemetry, attribute, value) :
				    read_voltage(&telemetry, channel, value);
}

static int read_string(struct device *device, enum hwmon_sensor_types type, u32 attribute,
		       int channel, const char **text)
{
	*text = type == hwmon_temp ? "die" : voltages[channel];
	return 0;
}

static umode_t is_visible(const void *management, enum hwmon_sensor_types type, u32 attribute,
			  int channel)
{
	return 0444;
}

/* Not const: 6.1 wants it so. */
static const struct hwmon_channel_info *channels[] = {
	HWMON_CHANNEL_INFO(temp, HWMON_T_INPUT | HWMON_T_HIGHEST | HWMON_T_MAX | HWMON_T_CRIT |
					 HWMON_T_LABEL),
	HWMON_CHANNEL_INFO(in, HWMON_I_INPUT | HWMON_I_LABEL, HWMON_I_INPUT | HWMON_I_LABEL,
			   HWMON_I_INPUT | HWMON_I_LABEL),
	NULL
};

static const struct hwmon_ops operations = {
	.is_visible = is_visible,
	.read = read,
	.read_string = read_string,
};

static const struct hwmon_chip_info chip = {
	.ops = &operations,
	.info = channels,
};

void pagepress_sensors_register(struct pagepress_management *management)
{
	struct device *device = management->card->device;
	struct device *sensors = hwmon_device_register_with_info(device, KBUILD_MODNAME,
								 management, &chip, NULL);

	if (IS_ERR(sensors))
		dev_warn(device, "hwmon does not take the card's sensors (%ld)\n",
			 PTR_ERR(sensors));
	else
		management->sensors = sensors;
}

void pagepress_sensors_unregister(struct pagepress_management *management)
{
	if (management->sensors)
		hwmon_device_unregister(management->sensors);
}
#else
void pagepress_sensors_register(struct pagepress_management *management)
{
}

void pagepress_sensors_unregister(struct pagepress_management *management)
{
}
#endif
