/* SPDX-License-Identifier: Apache-2.0 */
/* The boot ROM enters behind the header. */
	.section .start, "ax"
	.globl _start
_start:
	la	sp, __stack_top
	la	t0, on_trap
	csrw	mtvec, t0
	la	t0, __bss_begin
	la	t1, __bss_end
1:	bgeu	t0, t1, 2f
	sw	zero, 0(t0)
	addi	t0, t0, 4
	j	1b
2:	la	t0, __stack_bottom
	la	t1, __stack_top
	li	t2, 0x5AC5AC5A
3:	sw	t2, 0(t0)
	addi	t0, t0, 4
	bltu	t0, t1, 3b
	call	main
	.balign	4
on_trap:
	j	trapped
