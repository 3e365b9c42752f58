// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "notes-app",
  dependencies: [
    // By name: the folder of the clone may have any.
    .package(name: "mero-consentd", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "notes-app",
      dependencies: [
        .product(name: "ConsentClient", package: "mero-consentd"),
        .product(name: "MeroConsent", package: "mero-consentd"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
