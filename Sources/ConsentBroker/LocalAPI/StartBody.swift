import Desktop
import FoundationEssentials
import MeroConsent

/// The body of `POST /v1/requests`: a request to ask, or one that the app has asked itself.
struct StartBody {
  enum What {
    case request(ConsentRequest)
    case started(ConsentStarted)
  }

  let what: What
  /// Whether to open the page in the person's browser.
  let open: Bool
  /// The app's, for opening it.
  let activationToken: ActivationToken?

  init(_ call: APICall) throws(APIProblem) {
    var fields = try call.fields()
    open = try fields.optionalFlag("open") ?? false
    activationToken = try fields.optionalActivationToken()
    let request = fields.value("request")
    let started = fields.value("started")
    try fields.finish()
    switch (request, started) {
    case (let request?, nil):
      what = .request(try Self.decode(ConsentRequestBody.self, from: request).request)
    case (nil, let started?):
      what = .started(try Self.decode(ConsentStarted.self, from: started))
    case (nil, nil): throw fields.invalid("request", "is missing, and so is “started”")
    case (.some, .some): throw fields.invalid("started", "excludes “request”")
    }
  }

  /// Both types decode strictly, and name the field that they refuse.
  private static func decode<Body: Decodable>(
    _ type: Body.Type, from value: JSONValue
  ) throws(APIProblem) -> Body {
    do {
      return try JSONDecoder().decode(type, from: Data(value.bytes))
    } catch let error as ConsentError {
      throw APIProblem(error)
    } catch {
      throw APIProblem(ConsentError.requestInvalid(nil, "cannot be read"))
    }
  }
}
