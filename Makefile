# Two commands: `make demo` shows the main job, `make test` passes the tests.
# Each installs the Debian packages that it lacks.

PACKAGES = pkg-config libssl-dev libsqlite3-dev libcurl4-openssl-dev libsystemd-dev libinih-dev \
  openssl curl jq python3 python3-venv systemd dbus-user-session procps strace

# What only tests and pictures need: a real browser, letters for every language of the pages, and
# what the examples use, with a screen for their window, and a desktop's own tools.
TEST_PACKAGES = chromium fonts-noto-core fonts-noto-cjk xdg-utils desktop-file-utils dbus \
  libglib2.0-bin xvfb x11-apps netpbm python3-gi gir1.2-gtk-4.0 \
  zsh fish man-db mandoc

# Other people's quotes with expected verdicts: read in place, never part of the tree.
TDX_DATA ?= ../shared/data/tdx

.PHONY: build demo run test unit integration quote-cases bench lint manual deps \
  test-deps screenshots api-reference docs clean

build: deps
	swift build

# The main job in front of your eyes, and the same programs to play with.
demo: build
	@python3 -B Tests/Integration/demo.py

run: build
	@python3 -B Tests/Integration/play.py

test: deps lint
	swift build --build-tests
	@$(MAKE) --no-print-directory unit
	@$(MAKE) --no-print-directory quote-cases
	@$(MAKE) --no-print-directory deb
	@$(MAKE) --no-print-directory integration

# A process for each room: all networking of a process runs on its one loop, and what measures
# time there must not wait for another room's work. `make unit ROOMS=HTTPTests` runs a part.
ROOMS = $(notdir $(wildcard Tests/*Tests)) FuzzingTests
unit:
	@for room in $(ROOMS); do \
	  echo "== $$room"; swift test --skip-build --filter "^$$room\\." || exit 1; \
	done

# The real programs from outside. `make integration ONLY=test_callback.py` runs a part of it.
integration: test-deps .venv/installed
	swift build
	.venv/bin/python -B -m pytest -c Tests/Integration/pytest.ini Tests/Integration/$(ONLY)

# Every page in every state, size, colour scheme and language, to be looked at.
screenshots: build test-deps .venv/installed
	.venv/bin/python -B Tests/Integration/screenshots.py build/screenshots
	.venv/bin/python -B -m pytest -q -c Tests/Integration/pytest.ini Tests/Integration/test_window.py

# docs/api.md from docs/openapi.yaml.
api-reference: .venv/installed
	.venv/bin/python -B Tests/Integration/api_reference.py

# The manual pages and the completions, from the programs' own tables.
manual: build
	.ci/manual-pages .build/debug

# The DocC archives of the two library products; a warning is an error.
docs: build
	.ci/documentation build/docs

.venv/installed: Tests/Integration/requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

quote-cases: deps
	swift build --product quote-cases
	@if [ -r $(TDX_DATA)/cases.json ]; then \
	  .build/debug/quote-cases $(TDX_DATA)/cases.json --data $(TDX_DATA); \
	else \
	  echo "quote-cases: there is no $(TDX_DATA)/cases.json: NO PUBLIC QUOTE WAS VERIFIED"; \
	fi

# Every figure as a ratio to a peer in the same run: build/bench/bench.json, and a table.
# `make bench BENCH='--only http --rounds 3'` runs a part of it.
BENCH_PACKAGES = nginx-light wrk openssh-client
bench: deps
	@.ci/install-packages $(BENCH_PACKAGES)
	@.ci/unpack-package snapd build/bench/snapd || echo "its rows will say so"
	for program in quote-bench http-load core-bench mero-consentd mero-dev-node; do \
	  swift build -c release --static-swift-stdlib --product $$program || exit 1; \
	done
	@python3 -B Benchmarks/bench $(BENCH)

# What `make deb` needs besides.
DEB_PACKAGES = debhelper dpkg-dev fakeroot lintian man-db
PREFIX = /usr/local
DESTDIR =

.PHONY: release install install-dev-node uninstall deb

# The programs as they are installed: the Swift runtime linked in.
PROGRAMS = mero-consentd mero-consent mero-dev-node
release: deps
	for program in $(PROGRAMS); do \
	  swift build -c release --static-swift-stdlib --disable-local-rpath --product $$program || exit 1; \
	done

# For packaging scripts: `make install DESTDIR=… PREFIX=/usr`. docs/operations.md (“Installed”) says what is where.
install: release
	packaging/install "$(DESTDIR)" "$(PREFIX)"

install-dev-node: release
	packaging/install --dev-node "$(DESTDIR)" "$(PREFIX)"

uninstall:
	packaging/install --remove "$(DESTDIR)" "$(PREFIX)"

# build/deb/*.deb, for `apt install ./build/deb/mero-consentd_….deb`.
deb: deps
	@.ci/install-packages $(DEB_PACKAGES)
	rm -rf build/deb && mkdir -p build/deb
	fakeroot debian/rules binary
	lintian --fail-on error,warning build/deb/*.deb
	fakeroot dh_clean

.PHONY: fuzz sanitize

# Looks for inputs that break a promise, subject after subject (Fuzzing/README.md).
SECONDS = 60
fuzz: deps
	Fuzzing/run $(SECONDS) $(SUBJECT)

# Apps, a person who decides, and kills at random moments under a real user manager, round after
# round: everybody was told what is so, and nothing is lost. `make chaos RUNS=1 SEED=…` repeats the
# plan of a round; the evidence of a fault is in build/chaos.
.PHONY: chaos
RUNS = 500
chaos: build .venv/installed
	PYTHONPATH=Tests/Integration .venv/bin/python -B -m chaos --runs $(RUNS) $(if $(SEED),--seed $(SEED))

# The tests once more under the address and the thread sanitizer. `make sanitize SANITIZER=thread`.
sanitize: deps .venv/installed
	Tests/sanitize $(or $(SANITIZER),address thread)

lint:
	swift format lint --strict --recursive Sources Tests Benchmarks Fuzzing Examples Package.swift

deps:
	@.ci/install-packages $(PACKAGES)

test-deps:
	@.ci/install-packages $(TEST_PACKAGES)

clean:
	rm -rf .build .venv build
