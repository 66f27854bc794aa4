# benchlore: `make check` and `make demo` install what is missing first;
# `make` alone needs nothing but the libraries. `make list` shows all targets.
#
# Everything that is built goes to build/, one directory a set of flags
# (build/plain, build/asan, ...), but for ./benchlore itself.

CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build/plain
PROGRAM ?= benchlore

VERSION := 0.1.0
PACKAGES := gmime-3.0 libpcre2-8 libxml-2.0 glib-2.0 zlib libdeflate libzstd liblzma libgit2 sqlite3 libxxhash
# Those that pkg-config does not know.
PLAIN_LIBS := -lbz2

# Asked for once, and only by a rule that compiles or links: `make check` must
# be able to start on a machine that has no pkg-config yet.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(patsubst -I%,-isystem%,$$(shell pkg-config --cflags $(PACKAGES))))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell pkg-config --libs $(PACKAGES)) $(PLAIN_LIBS))$(PKG_LIBS)
TEST_CFLAGS = $(eval TEST_CFLAGS := $$(patsubst -I%,-isystem%,$$(shell pkg-config --cflags cmocka)))$(TEST_CFLAGS)
TEST_LIBS = $(eval TEST_LIBS := $$(shell pkg-config --libs cmocka))$(TEST_LIBS)

WARNINGS := -Wall -Wextra -Wshadow -Wconversion
BASE_FLAGS = -std=c11 $(WARNINGS) -I. -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 $(PKG_CFLAGS)
MAIN_FLAGS = -DBENCHLORE_GRAMMAR_DIR='"$(PREFIX)/share/benchlore/grammars"' -DBENCHLORE_VERSION='"$(VERSION)"'
COMPILE = $(CC) $(BASE_FLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP

MAIN_SOURCE := extract/main.c
LIBRARY_SOURCES := $(filter-out $(MAIN_SOURCE),$(sort $(wildcard extract/*.c output/*.c)))
TEST_SOURCES := $(sort $(wildcard tests/test_*.c))
# What several test programs share is linked into all of them.
SUPPORT_SOURCES := $(filter-out tests/test_% tests/fuzz_% tests/bench_%,$(sort $(wildcard tests/*.c)))
TEST_SCRIPTS := $(sort $(wildcard tests/run_*.sh))
BENCH_SOURCES := $(sort $(wildcard tests/bench_*.c))

LIBRARY := $(BUILD)/libbenchlore.a
LIBRARY_OBJECTS := $(LIBRARY_SOURCES:%.c=$(BUILD)/%.o)
MAIN_OBJECT := $(MAIN_SOURCE:%.c=$(BUILD)/%.o)
SUPPORT_OBJECTS := $(SUPPORT_SOURCES:%.c=$(BUILD)/%.o)
TEST_OBJECTS := $(TEST_SOURCES:%.c=$(BUILD)/%.o)
TEST_PROGRAMS := $(TEST_SOURCES:%.c=$(BUILD)/%)
BENCH_OBJECTS := $(BENCH_SOURCES:%.c=$(BUILD)/%.o)
BENCH_PROGRAMS := $(BENCH_SOURCES:%.c=$(BUILD)/%)
GRAMMAR_FILES = $(wildcard grammars/*.*)

FUZZ_TARGET := $(BUILD)/tests/fuzz_archive
FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# Use all cores, unless the caller has said how many.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.SUFFIXES:
.SECONDARY:
.DELETE_ON_ERROR:
# Of `make bench`: short, usual or full; and of all, an mbox to measure beside the archives made.
BENCH ?= usual
BENCH_ARCHIVE ?=
# Seconds of `make fuzz`.
FUZZ ?= 60

.PHONY: all check test demo bench fuzz asan memcheck lint format install objects deps clean list FORCE

all: ## build ./benchlore (the default)
	@$(MAKE) --no-print-directory $(PARALLEL) $(PROGRAM)

check: ## install what is missing, build, run all tests
	@.ci/install-deps
	@$(MAKE) --no-print-directory $(PARALLEL) test

test: $(if $(wildcard $(MAIN_SOURCE)),$(PROGRAM)) $(TEST_PROGRAMS) $(BUILD)/tests/bench_mail ## build and run all tests
	@BENCHLORE=./$(PROGRAM) BENCH_TOOLS=$(BUILD)/tests .ci/run-tests $(TEST_PROGRAMS) $(TEST_SCRIPTS)

demo: ## install what is missing, build, extract corpus/ and show the rows
	@.ci/install-deps
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@BENCHLORE=./$(PROGRAM) .ci/demo build/demo

asan: ## run all tests under the address and undefined-behaviour sanitizers
	@mkdir -p build/asan && ln -sfn ../../grammars build/asan/grammars
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=build/asan PROGRAM=build/asan/benchlore CFLAGS='$(SANITIZE)' test

memcheck: ## look for leaks with valgrind
	@.ci/install-deps valgrind
	@mkdir -p build/memcheck && ln -sfn ../../grammars build/memcheck/grammars
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=build/memcheck PROGRAM=build/memcheck/benchlore CPPFLAGS='$(CPPFLAGS) -DBENCHLORE_FREES_ALL' all
	@BENCHLORE=build/memcheck/benchlore .ci/memcheck

bench: ## measure speed and memory against other programs (BENCH=short|usual|full)
	@.ci/install-deps bench
	@$(MAKE) --no-print-directory $(PARALLEL) $(PROGRAM) $(BENCH_PROGRAMS)
	@BENCHLORE=./$(PROGRAM) BENCH_TOOLS=$(BUILD)/tests BENCH_ARCHIVE='$(BENCH_ARCHIVE)' tests/bench.sh $(BENCH)

fuzz: ## search for input that fails or that the prefilter misses (FUZZ=SECONDS)
	@.ci/install-deps fuzz
	@$(MAKE) --no-print-directory $(PARALLEL) $(BENCH_PROGRAMS)
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=build/fuzz CC=clang CFLAGS='$(FUZZ_FLAGS)' build/fuzz/tests/fuzz_archive
	@FUZZ_TARGET=build/fuzz/tests/fuzz_archive BENCH_TOOLS=$(BUILD)/tests tests/fuzz.sh $(FUZZ)

lint: ## check include rules, layout, and warnings of gcc and clang
	@.ci/lint
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=build/lint-gcc CC=gcc CFLAGS='-O2 -g -Werror' objects
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=build/lint-clang CC=clang CFLAGS='-O1 -Werror' objects
	@.ci/lint-objects $(LIBRARY_OBJECTS:$(BUILD)/%=build/lint-gcc/%)

format: ## lay out all C files by .clang-format
	clang-format -i $(wildcard extract/*.[ch] output/*.[ch] tests/*.[ch])

install: $(PROGRAM) ## install under $(DESTDIR)$(PREFIX)
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 755 $(PROGRAM) '$(DESTDIR)$(PREFIX)/bin/benchlore'
	for file in $(GRAMMAR_FILES); do \
	    install -D -m 644 "$$file" "$(DESTDIR)$(PREFIX)/share/benchlore/$$file" || exit 1; \
	done
	install -m 644 output/benchlore.rng '$(DESTDIR)$(PREFIX)/share/benchlore/benchlore.rng'
	install -m 644 extract/benchlore.1 '$(DESTDIR)$(PREFIX)/share/man/man1/benchlore.1'

objects: $(LIBRARY_OBJECTS) $(MAIN_OBJECT) $(SUPPORT_OBJECTS) $(TEST_OBJECTS) $(BENCH_OBJECTS) $(FUZZ_TARGET).o

deps: ## install the packages that building and testing need
	@.ci/install-deps

clean: ## remove all that was built
	rm -rf build benchlore

list: ## show the targets
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

$(PROGRAM): $(MAIN_OBJECT) $(LIBRARY)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LDLIBS)

# An object that lost its source must not live on in the archive.
$(LIBRARY): $(LIBRARY_OBJECTS) $(BUILD)/library.list
	rm -f $@
	$(AR) rcs $@ $(LIBRARY_OBJECTS)

$(TEST_PROGRAMS): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(SUPPORT_OBJECTS) $(LIBRARY)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(PKG_LIBS) $(LDLIBS)

$(BENCH_PROGRAMS): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(LIBRARY)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LDLIBS)

$(FUZZ_TARGET): $(FUZZ_TARGET).o $(LIBRARY)
	$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LDLIBS)

$(MAIN_OBJECT): $(BUILD)/%.o: %.c $(BUILD)/flags $(BUILD)/main.flags
	@mkdir -p $(@D)
	$(COMPILE) $(MAIN_FLAGS) -c -o $@ $<

$(TEST_OBJECTS) $(SUPPORT_OBJECTS): $(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) $(TEST_CFLAGS) -c -o $@ $<

$(LIBRARY_OBJECTS) $(BENCH_OBJECTS) $(FUZZ_TARGET).o: $(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# Files that change only when what they hold changes, so that other flags,
# another PREFIX or a removed source rebuild what they touch and no more.
remember = @mkdir -p $(@D); printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) >$@

$(BUILD)/flags: FORCE
	@pkg-config --exists --print-errors $(PACKAGES) || { echo 'missing libraries: `make deps` installs them' >&2; exit 1; }
	$(call remember,"$(CC) $(BASE_FLAGS) $(CPPFLAGS) $(CFLAGS)")

$(BUILD)/main.flags: FORCE
	$(call remember,"$(PREFIX) $(VERSION)")

$(BUILD)/library.list: FORCE
	$(call remember,"$(LIBRARY_OBJECTS)")

-include $(LIBRARY_OBJECTS:.o=.d) $(MAIN_OBJECT:.o=.d) $(SUPPORT_OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d) $(BENCH_OBJECTS:.o=.d) $(FUZZ_TARGET).d
