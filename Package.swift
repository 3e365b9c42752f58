// swift-tools-version: 6.2
import PackageDescription

// The floors of the house: a target names only targets below it.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

func floor(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
  name: "mero-consentd",
  products: [
    .library(name: "MeroConsent", targets: ["MeroConsent"]),
    .library(name: "ConsentClient", targets: ["ConsentClient"]),
    .executable(name: "mero-consentd", targets: ["mero-consentd"]),
    .executable(name: "mero-consent", targets: ["mero-consent"]),
    .executable(name: "mero-dev-node", targets: ["mero-dev-node"]),
  ],
  targets: [
    // Floor 1: C libraries.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
    // Loaded when a node is called first, and so not linked.
    .target(name: "CCurl"),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd"),
    .systemLibrary(name: "CInih", pkgConfig: "inih"),
    // Floor 2.
    floor("EventLoop", ["CLinux"]),
    floor("Crypto", ["COpenSSL"]),
    // Floor 3.
    floor("HTTP", ["EventLoop"]),
    floor("Sealed", ["Crypto"]),
    floor("TDXQuote", ["Crypto"]),
    floor("Desktop", ["EventLoop", "Crypto", "CSystemd"]),
    // Floor 4.
    floor("MeroConsent", ["Sealed", "TDXQuote", "Desktop", "EventLoop", "Crypto", "CCurl"]),
    floor("Callback", ["HTTP", "EventLoop", "Crypto"]),
    // Floor 5.
    floor(
      "ConsentBroker",
      [
        "MeroConsent", "Callback", "Desktop", "HTTP", "EventLoop", "Crypto", "CSQLite", "CSystemd",
        "CInih",
      ]),
    floor("ConsentClient", ["MeroConsent", "Callback", "HTTP", "EventLoop", "Crypto"]),
    floor("DevelopmentNode", ["Sealed", "HTTP", "EventLoop", "Crypto", "MeroConsent"]),
    // Floor 6.
    program("mero-consentd", ["ConsentBroker", "EventLoop"]),
    program(
      "mero-consent",
      ["ConsentClient", "MeroConsent", "TDXQuote", "Desktop", "HTTP", "EventLoop", "Crypto"]),
    program("mero-dev-node", ["DevelopmentNode", "EventLoop"]),
    // For development, never installed: runs files of quotes with expected verdicts.
    program("quote-cases", ["TDXQuote", "Crypto"]),
    .systemLibrary(name: "CMalloc", path: "Benchmarks/CMalloc"),
    .executableTarget(
      name: "quote-bench", dependencies: ["TDXQuote", "TestPKI", "COpenSSL", "CMalloc"],
      path: "Benchmarks/quote-bench", swiftSettings: strict),
    .executableTarget(
      name: "core-bench", dependencies: ["Sealed", "Crypto", "CSQLite"],
      path: "Benchmarks/core-bench", swiftSettings: strict),
    .executableTarget(
      name: "http-load", dependencies: ["EventLoop", "CLinux"], path: "Benchmarks/http-load",
      swiftSettings: strict),
    // Tests.
    tests("EventLoopTests", ["EventLoop", "CLinux"]),
    tests("CryptoTests", ["Crypto", "COpenSSL", "TestPKI"]),
    tests("HTTPTests", ["HTTP", "EventLoop"]),
    tests("SealedTests", ["Sealed", "Crypto"]),
    tests("DesktopTests", ["Desktop", "EventLoop"]),
    // A stand-in for Intel, made when the tests run.
    .target(
      name: "TestPKI", dependencies: ["Crypto", "COpenSSL"], path: "Tests/TestPKI",
      swiftSettings: strict),
    // Programs of the tests, never installed: a node with quotes below a root of its own, and a
    // daemon that trusts such a root instead of Intel's.
    .executableTarget(
      name: "measured-node", dependencies: ["DevelopmentNode", "TestPKI", "EventLoop", "Crypto"],
      path: "Tests/Programs/measured-node", swiftSettings: strict),
    .executableTarget(
      name: "trusting-daemon",
      dependencies: ["ConsentBroker", "MeroConsent", "TDXQuote", "EventLoop"],
      path: "Tests/Programs/trusting-daemon", swiftSettings: strict),
    tests("TDXQuoteTests", ["TDXQuote", "Crypto", "TestPKI"]),
    tests("QuoteCasesTests", ["quote-cases", "TDXQuote", "Crypto", "TestPKI"]),
    tests(
      "MeroConsentTests",
      [
        "MeroConsent", "Desktop", "EventLoop", "Crypto", "Sealed", "TDXQuote", "DevelopmentNode",
        "TestPKI",
        "COpenSSL",
      ]),
    tests(
      "ConsentBrokerTests",
      [
        "ConsentBroker", "Callback", "Desktop", "MeroConsent", "HTTP", "EventLoop", "Crypto",
        "CSQLite",
      ]),
    tests("CallbackTests", ["Callback", "HTTP", "EventLoop"]),
    tests(
      "ConsentClientTests",
      ["ConsentClient", "MeroConsent", "DevelopmentNode", "HTTP", "EventLoop", "Crypto"]),
    tests(
      "MeroConsentCommandTests",
      ["mero-consent", "ConsentClient", "MeroConsent", "EventLoop"]),
    tests(
      "DevelopmentNodeTests",
      ["DevelopmentNode", "MeroConsent", "Sealed", "HTTP", "EventLoop", "Crypto"]),
  ],
  swiftLanguageModes: [.v6]
)

// What is fuzzed, and what must hold of it: a suite that runs the kept inputs, or, for `make fuzz`
// alone, the program that looks for new ones. That needs libFuzzer to link.
let fuzzed: [Target.Dependency] = [
  "ConsentBroker", "MeroConsent", "Callback", "HTTP", "Sealed", "TDXQuote", "EventLoop", "Crypto",
  "TestPKI", "CSQLite",
]
package.targets.append(
  Context.environment["FUZZING"] == nil
    ? .testTarget(
      name: "FuzzingTests", dependencies: fuzzed, path: "Fuzzing",
      exclude: ["Corpus", "Driver", "README.md", "run"], sources: ["Subjects", "Replay"],
      swiftSettings: strict)
    : .executableTarget(
      name: "fuzz", dependencies: fuzzed, path: "Fuzzing",
      exclude: ["Corpus", "Replay", "README.md", "run"], sources: ["Subjects", "Driver"],
      swiftSettings: strict))
