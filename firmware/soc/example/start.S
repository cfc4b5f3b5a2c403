/* SPDX-License-Identifier: Apache-2.0 */
/* From reset to main: a stack, and memory that begins as zeros. There is no initialised data: it would have to be copied out of ROM. */
	.section .start, "ax"
	.globl _start
_start:
	la	sp, stack_end
	la	t0, bss_begin
	la	t1, bss_end
1:	bgeu	t0, t1, 2f
	sw	zero, 0(t0)
	addi	t0, t0, 4
	j	1b
2:	call	main
3:	j	3b
