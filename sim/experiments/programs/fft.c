// SPDX-License-Identifier: Apache-2.0
// fft MEGABYTES: a complex transform of so much memory, 65,536 points each, by FFTW, forth and back; says the
// greatest error of a point and a sum of every bit, the same in every run. Exit status 1 when the error is too great.
#include <fftw3.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double value(size_t point)
{
	return sin((double)(point % 977)) + (double)(point % 13) / 13.0;
}

static uint64_t summed(uint64_t sum, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return (sum ^ bits) * 0x100000001b3;
}

int main(int count, char **words)
{
	size_t points = (size_t)(count > 1 ? atoi(words[1]) : 16) << 16;
	fftw_complex *data = fftw_alloc_complex(points);
	fftw_plan forth, back;
	double worst = 0;
	uint64_t sum = 0xcbf29ce484222325;

	if (!data)
		return 2;
	forth = fftw_plan_dft_1d((int)points, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
	back = fftw_plan_dft_1d((int)points, data, data, FFTW_BACKWARD, FFTW_ESTIMATE);
	for (size_t point = 0; point < points; point++) {
		data[point][0] = value(point);
		data[point][1] = 0;
	}
	fftw_execute(forth);
	fftw_execute(back);
	for (size_t point = 0; point < points; point++) {
		worst = fmax(worst, fabs(data[point][0] / (double)points - value(point)));
		sum = summed(summed(sum, data[point][0]), data[point][1]);
	}
	printf("worst %g sum %016llx\n", worst, (unsigned long long)sum);
	return worst > 1e-6;
}
