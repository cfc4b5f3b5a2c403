# SPDX-License-Identifier: Apache-2.0
# Every command of the project. Each target installs what it needs, then calls a room's own script.

# Variables a user may set on the command line. The programs called know the defaults.
CARD       ?=# demo, guest, test-system, test-suites: the card's engine, rtl (Verilog, the default) or model (C++)
LEVEL      ?=# demo, guest: where the host meets CARD=rtl, pcie (all of it, by its link's packets, the default) or axi (its core)
FAULT      ?=# demo: kill-card kills the card process while pages are in flight
RUN        ?=# guest: the script to run
FILES      ?=# guest: files put beside it, blank-separated
PROGRAMS   ?=# guest: Debian's programs put into /usr/bin, for example "fio stress-ng"; all for all
MODULES    ?=# guest: modules of the kernel that modprobe shall find
LTP        ?=# guest: instead of RUN, an installed tree of LTP: its zram and swap tests run on our disks
BLKTESTS   ?=# guest: instead of RUN, a checkout of blktests: its block group runs on /dev/pagepress0
KERNEL     ?=# guest, driver, soak, test-suites: 6.1 (the default), 6.12, 7.x or debug
MEM        ?=# demo, guest, soak: guest memory, for example 256M
SMP        ?=# demo, guest: guest processors
IOMMU      ?=# guest: 1 puts the card behind an IOMMU in strict mode
ICOUNT     ?=# guest: 1 makes time instructions, a nanosecond each
CONTROL    ?=# guest: 1 makes the card's control socket /dev/ttyS2: faults on demand
PARAMETERS ?=# guest: parameters of the driver module, as for insmod
DISKS      ?=# guest: raw images, attached read-only
SOCKET     ?=# guest: where the card listens, instead of a place of its own
TIMEOUT    ?=# guest: seconds it may run
PAGES      ?=# bench, bench-card, nightly, bench-driver: files of raw 4 KiB pages, blank-separated, instead of captured ones
OPTIONS    ?=# bench, bench-card, nightly, mutate: see make bench OPTIONS=--help
BLOCK      ?=# synth, formal: only these blocks of build/verilog, blank-separated
AREA       ?=# synth: 1 measures area and levels only, without place and route
CHECK      ?=# synth: 1 fails when area or levels left constraints/results.toml
RECORD     ?=# synth: 1 writes constraints/results.toml
MINUTES    ?=# soak: how long it lasts, 30 unless given
LIGHT      ?=# soak: 1 for little memory and a load that rests most of the time
MACHINES   ?=# test-integrity: only these: model, iommu, rtl
T          ?=# test: run only the tests with this name
SEED       ?=# test: random numbers, 1 unless given; random draws new ones. nightly: drawn unless given
WAVES      ?=# test: 1 writes FST waves

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

environment := . build/tools/env.sh &&
# $(call alone,name): before a command that one make at a time may run; the next one finds its work done.
alone = mkdir -p build && flock -o build/$(1).lock
# Every step says its name in brackets before it is silent for more than a few seconds.
define prepare_guest
	@echo '[tools] installing what is missing: compilers, Verilator, QEMU, a kernel (first time: 2 to 5 minutes)'
	@$(MAKE) -j3 rtl-tools qemu-tools kernel-tools $(call given,KERNEL)
	@echo '[build] building what is out of date: Verilog, card, driver, pagepressctl (first time: 2 to 4 minutes)'
	@$(MAKE) card driver host $(call given,KERNEL)
endef
# $(call given,A B): A='…' B='…' for those that have a value.
given = $(foreach name,$(1),$(if $($(name)),$(name)='$($(name))'))
# Expanded only where it is used: a change under rtl/ makes Verilog again.
scala = $(shell find rtl -path rtl/test -prune -o \( -name '*.scala' -o -name pom.xml \) -print)

.PHONY: help tools rtl-tools qemu-tools kernel-tools guest-tools source-tools interface interface-check verilog card driver \
        host demo guest package test test-system test-integrity test-debug test-kernels test-suites soak bench bench-card bench-driver bench-tools nightly synth synth-tools formal \
        formal-tools \
        mutate lint clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r target text; do \
	    printf '  make %-16s %s\n' "$$target" "$$text"; done
	@echo; echo 'Variables:'
	@sed -n 's/^\([A-Z]*\) *?=# *\(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name text; do \
	    printf '  %-11s %s\n' "$$name" "$$text"; done

# Installers run side by side; each takes its own lock and is quick when nothing is to do.
tools: ## install every tool into build/tools
	@$(MAKE) -j4 rtl-tools qemu-tools kernel-tools guest-tools source-tools synth-tools formal-tools
rtl-tools:
	@.tools/install-rtl
qemu-tools:
	@.tools/install-qemu
kernel-tools:
	@.tools/$(if $(filter debug,$(KERNEL)),install-debug-kernel,install-kernel $(KERNEL))
guest-tools:
	@.tools/install-guest-programs
source-tools:
	@.tools/install-sources
bench-tools:
	@.tools/install-bench
synth-tools:
	@.tools/install-synth
formal-tools: synth-tools
	@.tools/install-formal

interface: rtl-tools ## write rtl/interface/generated anew from the TOML files
	@$(environment) python3 rtl/interface/generate.py
interface-check: rtl-tools ## fail when the generated interface differs from the TOML files
	@$(environment) python3 rtl/interface/generate.py --check

verilog: rtl-tools ## generate build/verilog/*.v from the Scala sources
	@$(call alone,verilog) $(MAKE) -s build/verilog/.generated
build/verilog/.generated: $(scala)
	@mkdir -p build/verilog && touch $@.begun # a source changed meanwhile is newer and generated again
	@echo '[verilog] SpinalHDL to Verilog with Maven (about a minute; build/verilog/generate.log)'
	@$(environment) mvn -q -f rtl/pom.xml compile exec:java >build/verilog/generate.log 2>&1 </dev/null || { \
	    { grep -m 30 -iE '\[error\]|exception' build/verilog/generate.log || tail -n 20 build/verilog/generate.log; } >&2; \
	    echo 'verilog: SpinalHDL or Scala failed: see build/verilog/generate.log' >&2; exit 1; }
	@cp rtl/interface/generated/pagepress_interface.h build/verilog/
	@mv $@.begun $@

card: verilog ## build the card process: build/card/pagepress-card
	@$(environment) $(call alone,card) $(MAKE) -C sim/verilator
driver: kernel-tools ## build the kernel module: build/driver/pagepress.ko
	@$(call alone,driver) $(MAKE) -C driver $(call given,KERNEL)
host: rtl-tools ## build build/host/pagepressctl
	@$(call alone,host) $(MAKE) -s -C host

package: kernel-tools ## Debian packages of the driver in build/package: source, DKMS, and the module for the guest's kernel
	@$(call alone,package) driver/package
demo: ## boot Linux on the simulated card and swap real pages through it
	$(prepare_guest)
	@$(environment) sim/system/demo $(call given,CARD LEVEL FAULT MEM SMP)
guest: ## run your own script in the guest: RUN=script.sh FILES="a b" MEM=256M SMP=1 (its exact status: sim/system/guest)
	@[ -n "$(RUN)$(LTP)$(BLKTESTS)" ] || { echo 'guest: say which script to run: make guest RUN=script.sh' >&2; exit 2; }
	@[ -z "$(RUN)" ] || [ -f "$(RUN)" ] || { echo 'guest: RUN=$(RUN) is not a file' >&2; exit 2; }
	$(prepare_guest)
	@$(if $(PROGRAMS)$(LTP)$(BLKTESTS),.tools/install-guest-programs)
	@$(environment) sim/system/guest $(call given,RUN FILES PROGRAMS MODULES LTP BLKTESTS CARD LEVEL KERNEL MEM SMP IOMMU ICOUNT CONTROL PARAMETERS DISKS SOCKET TIMEOUT)

# One test alone builds only Verilog here; tests that need more ask for it (fixture `built`).
test: ## run every test, or those called T=name (SEED=random for new numbers, WAVES=1 records)
	@$(MAKE) $(if $(T),rtl-tools source-tools,tools)
	@$(MAKE) verilog $(if $(T),,card driver host)
	@SEED=$(SEED) WAVES=$(WAVES) .tools/run-tests $(if $(T),'$(T)')
test-system: ## the fault matrix: every fault on every way, idle and under load, as a table (6 minutes on two free processors)
	$(prepare_guest)
	@$(environment) driver/tests/fault-matrix $(call given,SEED) CARD=$(or $(CARD),model)
test-integrity: guest-tools ## fio, stress-ng and memory-limited programs verify what they wrote, on the model, behind an IOMMU, on the RTL
	$(prepare_guest)
	@$(environment) driver/tests/integrity $(call given,SEED MACHINES)
test-debug: ## the driver's tests, a soak and the fault matrix (idle) under the debug kernel: a line each, tables (far slower than make test: nightly)
	@$(MAKE) -j3 rtl-tools qemu-tools && $(MAKE) kernel-tools KERNEL=debug && $(MAKE) card host && $(MAKE) driver KERNEL=debug
	@$(environment) KERNEL=debug $(call given,SEED) driver/tests/debug
test-kernels: ## build the driver for Debian's 6.1, 6.12 and 7.x, or KERNEL=name, and check bytes and swap on each (5 minutes)
	@$(MAKE) -j3 rtl-tools qemu-tools && $(MAKE) card host
	@$(environment) driver/tests/kernels $(KERNEL)
test-suites: source-tools ## the kernel's own zram selftests, with only names changed, on the driver (1 minute)
	$(prepare_guest)
	@$(environment) driver/tests/selftests CARD=$(or $(CARD),model) $(call given,KERNEL)
soak: ## random swap and random faults of the card for MINUTES (30); SEED repeats one
	$(prepare_guest)
	@$(environment) driver/tests/soak $(call given,MINUTES SEED CARD KERNEL LIGHT MEM)
bench: ## measure both engines on memory pages of real programs; chart in build/bench/engine.png
	@{ $(MAKE) -j3 rtl-tools source-tools bench-tools && $(MAKE) verilog; } >&2
	@$(environment) sim/bench/run $(OPTIONS) $(PAGES)
bench-card: ## measure the whole card behind a modelled PCIe link; chart in build/bench/card.png
	@{ $(MAKE) -j3 rtl-tools source-tools bench-tools && $(MAKE) verilog; } >&2
	@$(environment) sim/bench/run-card $(OPTIONS) $(PAGES)
nightly: rtl-tools source-tools verilog ## ten million pages and broken streams through codec and engines
	@$(environment) sim/nightly/run $(if $(SEED),--seed $(SEED)) $(OPTIONS) $(PAGES)
bench-driver: ## instructions the driver spends on a page written through the card, against software LZO (1 minute)
	$(prepare_guest)
	@$(environment) driver/tests/write-cost CARD=$(or $(CARD),model) $(call given,PAGES)
synth: ## area, levels and routed clock of the engines and the core; worst paths in build/synth
	@$(MAKE) -j2 rtl-tools synth-tools
	@$(MAKE) verilog
	@$(environment) constraints/synth $(call given,BLOCK AREA CHECK RECORD)
formal: verilog formal-tools ## prove properties of blocks for every input; broken copies must be refuted
	@$(environment) sim/formal/prove $(BLOCK)
mutate: verilog source-tools ## break the RTL on purpose; every bug must be caught
	@$(environment) sim/cocotb/mutate $(OPTIONS)
lint: rtl-tools source-tools ## layout, licences and imports; checkpatch and sparse on the driver
	@.tools/run-tests 'layout_of_this_tree or checkpatch or sparse'

clean: ## remove everything built, keep the tools
	@[ ! -d build ] || flock -n -E 75 build find build -mindepth 1 -maxdepth 1 ! -name tools -exec rm -rf {} + || \
	    { [ $$? != 75 ] || echo 'clean: a demo or guest is running: end it, then try again' >&2; exit 1; }
