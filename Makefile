# SPDX-License-Identifier: Apache-2.0
# Every command of the project. Each target installs what it needs, then calls a room's own script.
$(if $(word 2,$(CURDIR)),$(error the path of this folder has blanks, which make takes for several paths: $(CURDIR)))

# Variables a user may set on the command line. The programs called know the defaults. From the environment come those too that nobody else exports: WSL has a
# NAME, many a shell a VERSION.
CARD       ?=# the card's engine, rtl (Verilog, the default of demo and guest) or model (C++, that of test-system, test-systemd, test-arm, test-suites, soak, bench-driver, bench-zswap)
LEVEL      ?=# demo, guest, test-system: where the host meets CARD=rtl, pcie (all of it, by its link's packets, the default) or axi (its core)
DATA       ?=# demo: files of this machine (the default), or recorded: the pages that tests draw from
FAULT      ?=# demo: kill-card kills the card process while pages are in flight, kill-firmware what runs on its management core; bad-lane breaks one engine of several
RUN        ?=# guest: the script to run
FILES      ?=# guest: files put beside it, blank-separated
PROGRAMS   ?=# guest: Debian's programs put into /usr/bin, for example "fio stress-ng"; all for all
MODULES    ?=# guest: modules of the kernel that modprobe shall find
LTP        ?=# guest: instead of RUN, an installed tree of LTP: its zram and swap tests run on our disks
BLKTESTS   ?=# guest: instead of RUN, a checkout of blktests: its block group runs on /dev/pagepress0
KERNEL     ?=# guest, driver, soak, test-suites, test-systemd: 6.1 (the default), 6.1-generic, 6.12, 6.12-generic, 7.x or debug; test-kernels, test-zswap: only this one; test-zswap-faults, bench-zswap: 7.x unless given
MEM        ?=# demo, guest, soak, test-systemd: guest memory, for example 256M
SMP        ?=# demo, guest, soak: guest processors
IOMMU      ?=# guest: 1 puts the card behind an IOMMU in strict mode
ICOUNT     ?=# guest: 1 makes time instructions, a nanosecond each
INSTANT    ?=# guest: 1 makes CARD=model answer before the processor goes on, so that it takes no time of ICOUNT's
COLD       ?=# guest: 1 gives CARD=model the cold format; the hardware has what it was made with
CONTROL    ?=# guest: 1 makes the card's control socket /dev/ttyS2: faults on demand
MONITOR    ?=# guest: 1 makes QEMU's monitor /dev/ttyS3: errors of the bus on demand
PARAMETERS ?=# guest: parameters of the driver module, as for insmod
SYSTEMD    ?=# guest: 1 boots Debian with systemd, pagepress-tools and the driver; swap comes up from pagepress.conf (FILES may hold one)
DISKS      ?=# guest: raw images, attached read-only
WRITABLE   ?=# guest: raw images that it may write to
NETWORK    ?=# guest: 1 gives it a network card; nothing leads out of that network
ARGUMENTS  ?=# guest: further arguments of its kernel
SOCKET     ?=# guest: where the card listens, instead of a place of its own
TIMEOUT    ?=# guest, test-systemd: seconds it may run
PAGES      ?=# bench, bench-card, nightly, bench-driver, bench-zswap, bench-page-sizes, cold-tables: files of raw 4 KiB pages, blank-separated, instead of captured or recorded ones
OPTIONS    ?=# core: its parameters (rtl/README.md); bench, bench-card, bench-energy, nightly, flakes, coverage, mutate, mutate-listed, mutate-drawn, mutate-nightly: see make bench OPTIONS=--help
BLOCK      ?=# synth, formal: only these blocks of build/verilog, blank-separated
AREA       ?=# synth: 1 measures area and levels only, without place and route
CHECK      ?=# synth: 1 fails when area or levels left constraints/results.toml
RECORD     ?=# synth, board: 1 writes constraints/results.toml
CORE       ?=# card: what a core of your own is called (make core), for a card process around it
PAGE       ?=# test-arm: sizes of the kernels' pages, blank-separated, of 4k, 16k (both)
BOARD      ?=# board, litex: a folder of constraints/boards/open, ulx3s-85f for example
ROWS       ?=# test-system, test-zswap-faults: only these rows of the fault matrix, blank-separated, or a part of it: 2/3 is the second of three
KEEP       ?=# test-system, test-zswap-faults: keeps the matrix's cells in this file as they end; called again, it goes on with the rows that are not yet ok
MINUTES    ?=# soak: how long it lasts, 30 unless given
LIGHT      ?=# soak: 1 for little memory and a load that rests most of the time
ZSWAP      ?=# soak: 1 puts zswap, by the card too, before the swap; on a KERNEL that has it: debug, 6.1-generic, 6.12-generic, 7.x
MACHINES   ?=# test-integrity: only these: model, iommu, rtl
CLUSTER    ?=# flakes, mutate, mutate-drawn, mutate-nightly: address of a Dask scheduler whose workers run the list, for example tcp://host:8786; processes here unless given
REPEAT     ?=# test: so many times, each with new numbers, and say what did not always pass; flakes: 20 unless given
T          ?=# test, flakes, coverage: run only the tests with this name: a file's, a test's, one cocotb test's, a Scala suite's
NAME       :=# experiments: only these scenarios, blank-separated (sim/experiments/scenarios); core, fusesoc: what a core of your own is called
POINT      ?=# experiments: only the point of that name, or those that have this in their names, for example "1 GB"
ENGINES    ?=# experiments: only these of rtl model software zram zswap disk none
RUNS       ?=# experiments: how often each point is run
QUICK      ?=# experiments: 1 for few points, few engines, one run
JOBS       ?=# experiments: guests at a time (one more than processors)
FRESH      ?=# experiments: 1 runs again what an earlier run has measured
KEY        ?=# firmware: file with the signing key, the development key unless given
VERSION    :=# firmware: version of the image, 1.0.0 unless given
FLOOR      ?=# firmware: lowest version that may run once this image has confirmed itself, 0.0.1 unless given
SEED       ?=# random numbers of tests, litex, coverage, bench-gating, bench-energy: 1 unless given; test: random draws new ones. flakes, nightly, soak: drawn unless given
WAVES      ?=# test: 1 writes FST waveforms

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

environment := . build/tools/env.sh &&
# $(call alone,name): before a command that one make at a time may run; the next one finds its work done.
alone = mkdir -p build && flock -o build/$(1).lock
# Where a list of jobs runs: the program's words for CLUSTER.
on_cluster = $(if $(CLUSTER),--cluster $(CLUSTER))
# Every step says its name in brackets before it is silent for more than a few seconds.
define prepare_guest
	@echo '[tools] installing what is missing: compilers, Verilator, QEMU, a kernel (first time: 2 to 5 minutes)'
	@$(MAKE) -j3 rtl-tools qemu-tools kernel-tools $(call given,KERNEL)
	@echo '[build] building what is out of date: Verilog, card, driver, pagepressctl (first time: 2 to 4 minutes)'
	@$(MAKE) $(jobs) card driver host $(call given,KERNEL)
endef
# What may be built side by side shares so many jobs.
jobs := -j$(shell nproc)
# $(call given,A B): A='…' B='…' for those that have a value.
given = $(foreach name,$(1),$(if $($(name)),$(name)='$(subst ','\'',$($(name)))'))

.PHONY: help tools rtl-tools qemu-tools kernel-tools guest-tools systemd-tools host-tools arm-tools devicetree-tools source-tools cluster-tools firmware-tools bench-tools \
        coverage-tools experiments-tools versions-tools synth-tools formal-tools soc-tools docs-tools boards-tools fusesoc board boards docs diagrams interface \
        interface-check verilog core card card-model driver host firmware management packaging-tools metrics-tools mutation-tools demo guest package release \
        test flakes test-system test-systemd test-integrity test-debug test-kernels test-arm test-suites test-zswap test-zswap-faults test-firmware test-experiments soak test-parameters test-whole package-host pictures \
        bench bench-card bench-driver bench-top bench-zswap bench-gating bench-energy bench-page-sizes corpus cold-tables experiments experiment nightly synth formal xrt xrt-tools xrt-programs bench-xrt mutate mutate-listed \
        mutate-drawn mutate-nightly mutate-tools coverage testplan lint clean python litex-tools litex

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r target text; do \
	    printf '  make %-16s %s\n' "$$target" "$$text"; done
	@echo; echo 'Variables, as in make demo CARD=model:'
	@sed -n 's/^\([A-Z]*\) *[:?]=# *\(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name text; do \
	    printf '  %-11s %s\n' "$$name" "$$text"; done

# Installers run side by side; each takes its own lock and is quick when nothing is to do.
test_tools := rtl-tools qemu-tools kernel-tools guest-tools source-tools synth-tools formal-tools firmware-tools cluster-tools xrt-tools host-tools packaging-tools metrics-tools soc-tools devicetree-tools \
              coverage-tools mutation-tools
tools: ## install the tools of make test into build/tools; other targets install theirs when they need them
	@$(MAKE) -j4 $(test_tools)
rtl-tools:
	@.tools/install-rtl
	@.tools/install-management
qemu-tools:
	@.tools/install-qemu
kernel-tools:
	@.tools/$(if $(filter debug,$(KERNEL)),install-debug-kernel,install-kernel $(KERNEL:6.1-generic=6.1))
	@$(if $(filter 6.1-generic,$(KERNEL)),.tools/install-experiments)
guest-tools:
	@.tools/install-guest-programs
cluster-tools:
	@.tools/install-cluster
devicetree-tools:
	@.tools/install-devicetree
arm-tools:
	@.tools/install-arm
systemd-tools:
	@.tools/install-systemd-guest
source-tools:
	@.tools/install-sources
firmware-tools:
	@.tools/install-firmware
xrt-tools:
	@.tools/install-xrt
soc-tools: synth-tools
	@.tools/install-soc
litex-tools:
	@.tools/install-litex
host-tools:
	@.tools/install-host
packaging-tools:
	@.tools/install-packaging
metrics-tools:
	@.tools/install-metrics
bench-tools:
	@.tools/install-bench
coverage-tools: rtl-tools
	@.tools/install-coverage
mutation-tools: rtl-tools
	@.tools/install-mutation
experiments-tools: kernel-tools
	@.tools/install-experiments
# Of Linux's headers, that lookaside compares.
versions-tools:
	@.tools/install-kernel 6.12
	@.tools/install-kernel 7.x
synth-tools:
	@.tools/install-synth
formal-tools: synth-tools
	@.tools/install-formal

boards-tools:
	@.tools/install-boards
docs-tools:
	@.tools/install-docs

docs: docs-tools ## the site of documentation, for reading from disk: build/docs/site/index.html
	@$(call alone,docs) .docs/site
diagrams: docs-tools ## draw .docs/diagrams/*.svg anew from their sources
	@.docs/diagrams/draw
interface: rtl-tools ## write rtl/interface/generated anew from the TOML files
	@$(environment) python3 rtl/interface/generate.py
interface-check: rtl-tools ## fail when the generated interface differs from the TOML files
	@$(environment) python3 rtl/interface/generate.py --check

verilog: rtl-tools ## generate build/verilog/*.v from the Scala sources
	@.tools/generate-verilog

core: rtl-tools ## a core of your own, linted, in build/cores/NAME with what FuseSoC and other tools read: NAME=five OPTIONS="--queues 5 --bus 8 --decompressors 3" (1 minute)
	@$(if $(strip $(NAME)),,echo 'core: say how it is called: make core NAME=five OPTIONS="--queues 5 --bus 8"' >&2; exit 2)
	@$(environment) $(call alone,core) python3 rtl/interface/core_package.py 'build/cores/$(NAME)' '$(NAME)' $(OPTIONS)

card: $(if $(CORE),rtl-tools,verilog) firmware ## build the card process: build/card/pagepress-card; or a core's of `make core NAME=five`: CORE=five, build/cores/five/card
	@$(environment) $(call alone,card) $(MAKE) -C sim/verilator $(call given,CORE)
card-model: rtl-tools firmware ## build the card process without RTL, and so without Verilog: build/card-model/pagepress-card
	@$(environment) $(call alone,card-model) $(MAKE) -C sim/verilator MODEL=1
driver: kernel-tools ## build the kernel module: build/driver/pagepress.ko
	@$(call alone,driver) $(MAKE) -C driver $(call given,KERNEL)
host: rtl-tools host-tools ## build build/host/pagepressctl and pagepress-generator
	@$(environment) $(call alone,host) $(MAKE) -s -C host

firmware: rtl-tools firmware-tools ## build the management core's boot ROM and firmware: build/firmware, signed with KEY or the development key
	@$(call alone,firmware) $(MAKE) -s -C firmware $(call given,KEY VERSION FLOOR)
management: verilog firmware ## build the simulation of the management part: build/management/management-sim
	@$(environment) $(call alone,management) $(MAKE) -s -C sim/management
# The library, pagepress-xrt, and the xclbin with the Verilated kernel.
xrt-programs: rtl-tools xrt-tools verilog
	@$(call alone,xrt) $(MAKE) -s -C host/xrt
	@$(environment) $(call alone,xrt) $(MAKE) -s -C sim/xrt
python: rtl-tools xrt-tools host-tools ## build build/python/pagepress.*.so: libpagepress for Python with NumPy
	@$(environment) $(call alone,xrt) $(MAKE) -s -C host/python
xrt: xrt-programs python ## AMD's XRT library from Debian against the Verilated kernel: 2,100 real pages each way, and some by Python, checked with liblzo2 (4 minutes)
	@$(environment) sim/xrt/check
bench-xrt: xrt-programs ## cycles a page of the XRT kernel's runs and of bare rings, by their length (2 minutes)
	@$(environment) sim/xrt/bench

pictures: metrics-tools ## draw host/system/dashboard.svg and host/control/top.svg anew, from a guest that swaps and a real Prometheus (5 minutes)
	$(prepare_guest)
	@$(environment) host/system/picture/draw
release: rtl-tools kernel-tools packaging-tools ## what is committed, with notes, SPDX document and checksums, in build/release: source, ready Verilog of seven cores, driver for SoCs, Debian packages (8 minutes)
	@$(environment) $(call alone,release) .tools/release
package-host: packaging-tools ## Debian packages of pagepressctl with its surroundings and of libpagepress, in build/package-host
	@$(environment) $(call alone,package-host) host/packaging/build
package: kernel-tools package-host ## these, and the driver's in build/package: source, DKMS, and the module for the guest's kernel
	@$(call alone,package) driver/packaging/build
demo: ## boot Linux on the simulated card and swap real pages through it
	$(prepare_guest)
	@$(environment) sim/system/demo $(call given,CARD LEVEL FAULT DATA MEM SMP)
guest: ## run your own script in the guest: RUN=script.sh FILES="a b" MEM=256M SMP=1 (its exact status: sim/system/guest)
	@[ -n "$(RUN)$(LTP)$(BLKTESTS)" ] || { echo 'guest: say which script to run: make guest RUN=script.sh' >&2; exit 2; }
	@[ -z "$(RUN)" ] || [ -f "$(RUN)" ] || { echo 'guest: RUN=$(RUN) is not a file' >&2; exit 2; }
	$(prepare_guest)
	@$(if $(PROGRAMS)$(LTP)$(BLKTESTS),.tools/install-guest-programs)
	@$(if $(filter 1,$(SYSTEMD)),$(MAKE) systemd-tools package-host)
	@$(environment) sim/system/guest $(call given,RUN FILES PROGRAMS MODULES LTP BLKTESTS CARD LEVEL KERNEL MEM SMP IOMMU ICOUNT INSTANT COLD CONTROL MONITOR PARAMETERS SYSTEMD DISKS WRITABLE NETWORK ARGUMENTS SOCKET TIMEOUT)

# Tests chosen by name make what they need themselves: the blocks' Verilog, and products (fixture `built`).
# All of them: what is built begins when its own tools are there, while the others are still installed.
for_tests = $(if $(T),rtl-tools source-tools,-j4 $(test_tools) verilog card driver host management)
test: export BY_DAY := $(if $(T)$(NIGHTLY),,1)
test: ## run every test but the long ones of the test-… targets below, or those called T=name (SEED=random for new numbers, WAVES=1 records)
	@$(MAKE) $(for_tests)
	@SEED=$(SEED) WAVES=$(WAVES) REPEAT=$(REPEAT) .tools/run-tests $(if $(T),'$(T)')
flakes: ## every test 20 times on fresh seeds beside a busy machine: what does not always pass (nightly; T=name: only these; OPTIONS=--help)
	@$(MAKE) $(for_tests) >&2
	@$(if $(CLUSTER),$(MAKE) cluster-tools >&2)
	@$(environment) .tools/flakes $(on_cluster) $(if $(REPEAT),--repeat $(REPEAT)) $(if $(SEED),--seed $(SEED)) $(OPTIONS) $(if $(T),'$(T)')
test-system: ## the fault matrix: every fault on every way, idle and under load; two disks with memory full: tables (15 minutes on two free processors)
	$(prepare_guest)
	@$(environment) driver/tests/fault-matrix $(call given,SEED LEVEL KEEP) CARD=$(or $(CARD),model) $(ROWS)
	@$(if $(ROWS),,$(environment) driver/tests/two-disks $(call given,SEED))
test-systemd: ## our packages by dpkg in a fresh Debian with systemd; swap by one command, then at boot from pagepress.conf, with a card (killed half-way) and without
	$(prepare_guest)
	@$(MAKE) systemd-tools package
	@$(environment) sim/system/check-systemd $(call given,CARD KERNEL MEM TIMEOUT)
test-integrity: guest-tools ## fio, stress-ng and memory-limited programs verify what they wrote, on the model, behind an IOMMU, on the RTL
	$(prepare_guest)
	@$(environment) driver/tests/integrity $(call given,SEED MACHINES)
test-debug: ## the driver's tests, a soak and the fault matrix (idle) under the debug kernel: a line each, tables (far slower than make test: nightly)
	@$(MAKE) -j3 rtl-tools qemu-tools && $(MAKE) kernel-tools KERNEL=debug && $(MAKE) card host && $(MAKE) driver KERNEL=debug
	@$(environment) KERNEL=debug $(call given,SEED) driver/tests/debug
test-kernels: ## build the driver for Debian's 6.1, 6.12 and 7.x, or KERNEL=name, and check bytes and swap on each (5 minutes)
	@$(MAKE) -j3 rtl-tools qemu-tools guest-tools && $(MAKE) card host
	@$(environment) driver/tests/kernels $(KERNEL)
test-arm: ## the driver on Debian's arm64 kernels with pages of 4 and 16 KiB, in QEMU: the card on PCI, then as the device tree describes it, coherent and not (6 minutes; CARD=rtl PAGE=16k: engines of such pages)
	@$(MAKE) -j2 rtl-tools arm-tools && $(MAKE) card
	@$(if $(filter rtl,$(CARD)),$(MAKE) core NAME=pages-16k OPTIONS='--pages 16384' && $(MAKE) card CORE=pages-16k)
	@$(environment) sim/system/check-arm $(call given,SEED CARD PAGE)
zswap_kernel = $(or $(KERNEL),7.x)
zswap_kernels = $(or $(KERNEL),6.1-generic 6.12-generic 7.x)
test-zswap: ## zswap's `lzo` is the card's, on Debian's 6.1, 6.12 and 7.x, or KERNEL=name; the card dies, is taken away and comes back in the middle; doorbells and waits of large folios (10 minutes)
	@$(MAKE) -j3 rtl-tools qemu-tools && $(MAKE) card host
	@for kernel in $(zswap_kernels); do $(MAKE) driver KERNEL=$$kernel; done
	@$(environment) $(call given,SEED) driver/tests/zswap $(zswap_kernels)
test-zswap-faults: ## the fault matrix's columns of zswap on 7.x: each fault of the card on what zswap compresses and decompresses, idle and under load (nightly, 15 minutes; SEED KEEP ROWS as test-system)
	@$(MAKE) -j3 rtl-tools qemu-tools && $(MAKE) card host && $(MAKE) kernel-tools KERNEL=$(zswap_kernel) && $(MAKE) driver KERNEL=$(zswap_kernel)
	@$(environment) KERNEL=$(zswap_kernel) driver/tests/fault-matrix $(call given,SEED KEEP) WAYS="zswap-out zswap-in" $(ROWS)
bench-zswap: ## instructions and memory of a page by zram, by zswap with and without the card, by our disk, on Debian's 7.x (5 minutes)
	@$(MAKE) -j3 rtl-tools qemu-tools && $(MAKE) card host && $(MAKE) kernel-tools KERNEL=$(zswap_kernel) && $(MAKE) driver KERNEL=$(zswap_kernel)
	@$(environment) driver/tests/swap-cost KERNEL=$(zswap_kernel) $(call given,CARD PAGES MARKDOWN)
test-firmware: management ## the firmware's long tests: a million fuzzed requests, updates and power cuts on the Verilated core (10 minutes)
	@NIGHTLY=1 $(call given,SEED) .tools/run-tests 'firmware'
test-experiments: source-tools experiments-tools ## the experiments' tests, those too of what draws charts and looks through documents (2 minutes)
	@NIGHTLY=1 $(call given,SEED) .tools/run-tests 'experiments'
test-parameters: ## the core at the ends of its parameters, at some drawn ones, in an example SoC: generated, linted, pages both ways, synthesised (SEED draws others; two hours)
	@$(MAKE) rtl-tools source-tools
	@NIGHTLY=1 $(call given,SEED) .tools/run-tests 'core_chip or core_corner or core_drawn or core_many or example_soc or several_cores or fusesoc_simulate'
test-whole: ## the tests of which `make test` runs a sample, whole, and other sizes of what it runs (SEED draws others; an hour)
	@$(MAKE) rtl-tools source-tools
	@NIGHTLY=1 $(call given,SEED) .tools/run-tests 'page_decompressor or core_stop or core_lanes or core_gating or withstands_hostile or distrusts_firmware or streams_are_packed or disk_with_arm or core_faults or core_pages or card_link_faults or compress_lane or page_copier or page_reader or keeps_every_byte or idle_pages_become or swap_at_mem_limit or nobody_waits or collectors_work_beside or oldest_pages_leave or stream_encoder or cold_encoder or cold_compressor or cold_decompressor or decoder_takes_what_zstd or core_cold or page_compressor or core_parameters or card_narrow or lint_clean_alone or card_management or core_weights or pcie_adapter or library_costs or nightly_finds or nightly_notices_a_page or pcie_edges or a_block_is_measured or demo_survives or runs_on_our_disk or with_sanitizers or collector_loses_no_page or waits_for_a_slow_boot or real_programs or package_builds_as_dkms or source_package_holds'
test-suites: source-tools ## the kernel's own zram selftests, with only names changed, on the driver (1 minute)
	$(prepare_guest)
	@$(environment) driver/tests/selftests CARD=$(or $(CARD),model) $(call given,KERNEL)
soak: ## random swap, with ZSWAP=1 by zswap too, and random faults of the card for MINUTES (30); SEED repeats one
	$(prepare_guest)
	@$(environment) driver/tests/soak $(call given,MINUTES SEED CARD KERNEL LIGHT ZSWAP MEM SMP)
bench: ## measure the engines of both formats on memory pages of real programs; chart in build/bench/engine.png
	@{ $(MAKE) -j3 rtl-tools source-tools bench-tools && $(MAKE) verilog; } >&2
	@$(environment) sim/bench/run $(OPTIONS) $(PAGES)
bench-card: ## measure the whole card behind a modelled PCIe link; chart in build/bench/card.png
	@{ $(MAKE) -j3 rtl-tools source-tools bench-tools && $(MAKE) verilog; } >&2
	@$(environment) sim/bench/run-card $(OPTIONS) $(PAGES)
bench-gating: ## what it saves that an idle engine's clock stands, counted in transitions of clock pins at three loads (5 minutes)
	@{ $(MAKE) -j2 rtl-tools source-tools && $(MAKE) verilog; } >&2
	@$(environment) $(call given,SEED) sim/bench/run-gating
# The two blocks alone, not all of `make synth`: what it maps is kept in build/synth and used by both.
bench-energy: ## what the mapped engines do for a page, counted net by net, and the energy it is estimated to take, beside software's; chart in build/bench/energy.png (first time: 10 minutes, then one)
	@{ $(MAKE) -j4 rtl-tools source-tools bench-tools synth-tools && .tools/generate-verilog page_compressor page_decompressor; } >&2
	@{ $(environment) $(call alone,synth) constraints/synth BLOCK="page_compressor page_decompressor" AREA=1; } >&2
	@$(environment) sim/bench/run-energy $(if $(SEED),--seed $(SEED)) $(OPTIONS)
corpus: ## record the pages that tests draw from anew: other pages, so their bounds are to be measured again
	@$(MAKE) rtl-tools bench-tools >&2
	@sim/bench/record-corpus
bench-page-sizes: rtl-tools ## what larger pages gain: the engine's streams of the recorded pages, or of PAGES, in units of 4, 16 and 64 KiB (4 seconds)
	@$(environment) sim/reference/page-sizes $(PAGES)
cold-tables: rtl-tools ## train the cold format's tables anew on the recorded pages, or on PAGES: another version of the format (2 seconds)
	@$(environment) sim/reference/train-cold-tables $(PAGES)
open_boards = $(patsubst constraints/boards/open/%/board.toml,%,$(wildcard constraints/boards/open/*/board.toml))
known_board = [ -f 'constraints/boards/open/$(BOARD)/board.toml' ] || { echo '$@: no board $(BOARD) (there are $(open_boards))' >&2; exit 2; }
litex: ## a LiteX system, Verilated, or BOARD's: its RISC-V processor compresses a page on the core, liblzo2 checks the stream (3 minutes)
	@[ -z "$(BOARD)" ] || $(known_board)
	@$(MAKE) -j4 rtl-tools litex-tools firmware-tools source-tools
	@$(environment) $(call alone,litex) env $(call given,SEED) sim/soc/litex/run $(if $(BOARD),--board '$(BOARD)')
board: ## a bitstream for BOARD, an FPGA board that open tools reach: a RISC-V processor and the core, routed, what of the part it takes (20 minutes)
	@[ -n "$(BOARD)" ] || { echo 'board: say which board: make board BOARD=ulx3s-85f' >&2; exit 2; }
	@$(known_board)
	@$(MAKE) -j4 rtl-tools synth-tools litex-tools firmware-tools
	@$(environment) $(call alone,board) constraints/boards/open/build '$(BOARD)' $(call given,RECORD)
boards: rtl-tools boards-tools litex-tools ## check what a board's owner runs in Vivado, without Vivado: Alveo U50, U55C, U250, ZCU106; and the tables of boards for make board (3 minutes)
	@$(environment) $(call alone,boards) constraints/boards/check.py
fusesoc: $(if $(NAME),,verilog) soc-tools ## the core, or NAME of `make core`, as a FuseSoC package: lint, elaborate, send a page through it, count its cells (10 minutes)
	@$(environment) $(call alone,fusesoc) sim/soc/fusesoc $(if $(NAME),--package 'build/cores/$(NAME)' --work 'build/cores/$(NAME)/fusesoc') lint elaborate simulate synthesise
# Engines and kernels of what is to be run: only the hardware's own cells need Verilog and what is made of it, which takes longer than all of QUICK=1. Asked once.
measured = $(eval measured := $(shell sim/experiments/run --needs $(call given,NAME POINT ENGINES RUNS QUICK) 2>/dev/null))$(measured)
experiments: ## the classic systems' experiments, the originals' figures beside ours: NAME=djpeg ENGINES="model zram" RUNS=3 QUICK=1; build/experiments/index.html
	@sim/experiments/run --check $(call given,NAME POINT ENGINES RUNS JOBS QUICK FRESH)
	@echo '[tools] installing what is missing: compilers, QEMU, kernels, programs and data (first time: 5 minutes)'
	@$(MAKE) -j3 rtl-tools qemu-tools kernel-tools KERNEL=6.1
	@$(MAKE) -j3 guest-tools experiments-tools versions-tools KERNEL=6.1
	@echo '[build] building what is out of date: card, driver, pagepressctl'
	@$(MAKE) $(jobs) $(if $(filter rtl,$(measured)),card) card-model driver host KERNEL=6.1
	@$(if $(filter 7.x,$(measured)),$(MAKE) $(jobs) driver KERNEL=7.x)
	@$(environment) sim/experiments/run $(call given,NAME POINT ENGINES RUNS JOBS QUICK FRESH)
experiment: ## one of them: NAME=djpeg
	@$(if $(strip $(NAME)),,echo 'experiment: say which: make experiment NAME=djpeg' >&2; exit 2)
	@$(MAKE) experiments
nightly: rtl-tools source-tools verilog ## ten million pages and broken streams through codec and engines
	@$(environment) sim/nightly/run $(if $(SEED),--seed $(SEED)) $(OPTIONS) $(PAGES)
bench-driver: ## instructions the driver spends on a page written through the card, against software LZO (1 minute)
	$(prepare_guest)
	@$(environment) driver/tests/write-cost CARD=$(or $(CARD),model) $(call given,PAGES)
bench-top: ## instructions of pagepressctl top at a screen a second (1 minute)
	$(prepare_guest)
	@$(environment) host/tests/top-cost
synth: ## area, levels and routed clock of the engines and the core; worst paths in build/synth
	@$(MAKE) -j2 rtl-tools synth-tools
	@$(MAKE) verilog firmware
	@$(environment) $(call alone,synth) constraints/synth $(call given,BLOCK AREA CHECK RECORD)
formal: verilog formal-tools ## prove properties of blocks for every input; broken copies must be refuted
	@$(environment) sim/formal/prove $(BLOCK)
mutate: ## a sample of drawn bugs of every block, the card process, the card's model and the driver: how many the tests notice (10 minutes)
	@$(MAKE) mutate-drawn OPTIONS='--count 4 --minutes 10 $(OPTIONS)'
mutate-drawn: mutate-tools ## the same, as many as OPTIONS says; what has been judged is kept, so that a run may be ended and goes on
	@$(environment) sim/mutation/drawn $(on_cluster) $(OPTIONS)
mutate-listed: verilog source-tools ## each bug of sim/cocotb/mutations.toml must be caught
	@$(environment) sim/cocotb/mutate $(OPTIONS)
mutate-nightly: mutate-tools ## every listed bug, and 100 drawn ones of each target (some hours)
	@$(environment) sim/cocotb/mutate
	@$(environment) sim/mutation/drawn --count 100 $(on_cluster) $(OPTIONS)
mutate-tools:
	@{ $(MAKE) -j3 rtl-tools source-tools formal-tools mutation-tools qemu-tools kernel-tools $(if $(CLUSTER),cluster-tools) && $(MAKE) verilog card driver host; } >&2

coverage: verilog source-tools coverage-tools ## what the tests exercise: lines, signals, functional points; build/coverage/index.html (T=name: only these tests; an hour)
	@$(environment) $(call given,SEED) sim/coverage/run $(OPTIONS) $(if $(T),'$(T)')

testplan: rtl-tools ## what is promised, what keeps it, and the tests that hold it, as a table
	@$(environment) python3 .tools/testplan.py
lint: rtl-tools source-tools ## layout, licences and imports; checkpatch and sparse on the driver
	@.tools/run-tests 'layout_of_this_tree or checkpatch or sparse'

clean: ## remove everything built, keep the tools
	@[ ! -d build ] || flock -n -E 75 build find build -mindepth 1 -maxdepth 1 ! -name tools -exec rm -rf {} + || \
	    { [ $$? != 75 ] || echo 'clean: a demo or guest is running: end it, then try again' >&2; exit 1; }
