# Two commands: `make demo` shows the main job, `make test` passes the tests.
# Each installs the Debian packages that it lacks.

PACKAGES = pkg-config libssl-dev libsqlite3-dev libcurl4-openssl-dev libsystemd-dev libinih-dev

.PHONY: build test lint deps clean

build: deps
	swift build

test: deps lint
	swift build --build-tests
	swift test --skip-build

lint:
	swift format lint --strict --recursive Sources Tests Package.swift

deps:
	@.ci/install-packages $(PACKAGES)

clean:
	rm -rf .build .venv
