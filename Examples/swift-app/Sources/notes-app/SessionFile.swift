import ConsentClient
import FoundationEssentials
import Glibc
import MeroConsent

/// What an app knows about its node once a person has signed in, as a file has it here: the body
/// of the local API's `POST /v1/sessions`.
private struct SessionFile: Decodable {
  struct Node: Decodable {
    struct Trust: Decodable { let transportKey: String }

    let url: String
    let trust: Trust?
  }

  let package: String
  let node: Node
  let accessToken: String
  let refreshToken: String?
  let origins: [String]?
  let returnTo: String?
}

func readSession(_ path: String) -> NodeSession {
  do {
    let file = try JSONDecoder().decode(
      SessionFile.self, from: Data(contentsOf: URL(filePath: path)))
    return NodeSession(
      package: file.package, nodeURL: file.node.url,
      trust: file.node.trust.map { .transportKey($0.transportKey) } ?? .development,
      tokens: SessionTokens(accessToken: file.accessToken, refreshToken: file.refreshToken),
      origins: file.origins ?? [], returnTo: file.returnTo)
  } catch {
    print("\(path) cannot be read: \(error)")
    exit(66)
  }
}
