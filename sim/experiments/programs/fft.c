// SPDX-License-Identifier: Apache-2.0
// fft MEGABYTES: a complex transform of so much memory, 65,536 points each, by FFTW, forth and back; says the
// greatest error of a point. Exit status 1 when it is too great.
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double value(size_t point)
{
	return sin((double)(point % 977)) + (double)(point % 13) / 13.0;
}

int main(int count, char **words)
{
	size_t points = (size_t)(count > 1 ? atoi(words[1]) : 16) << 16;
	fftw_complex *data = fftw_alloc_complex(points);
	fftw_plan forth, back;
	double worst = 0;

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
	for (size_t point = 0; point < points; point++)
		worst = fmax(worst, fabs(data[point][0] / (double)points - value(point)));
	printf("worst %g\n", worst);
	return worst > 1e-6;
}
