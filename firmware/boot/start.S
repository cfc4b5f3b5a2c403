/* SPDX-License-Identifier: Apache-2.0 */
/* Reset enters at the first address. rom_services of runtime.ld is the second row. */
	.section .start, "ax"
	.globl _start
_start:
	la	sp, __stack_top
	j	enter
	.balign	16
	.word	0x534D4F52
	.word	image_check
enter:
	la	t0, on_trap
	csrw	mtvec, t0
	call	boot
	fence.i			/* does nothing in a core without caches */
	jr	a0
	.balign	4
on_trap:
	j	trapped
