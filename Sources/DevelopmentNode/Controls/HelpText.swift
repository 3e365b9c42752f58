/// What `--help` prints: the options, and both tables as they are in the code.
package enum HelpText {
  package static var text: String {
    """
    usage: mero-dev-node [OPTION]...

    A node for development and tests: it speaks the real protocol on loopback, and prints one line
    of JSON when it is ready. SIGTERM ends it.

      --port N          listen on this port of 127.0.0.1; 0, as without it: a free one
      --callback URL    where the served page sends the person on to: http on loopback, or an
                        app's own scheme
      --ttl SECONDS     how long a request may be decided (600)
      --prefix PATH     be mounted below a path, as /node-7
      --package NAME    whose package the tokens are for (com.example.notes)
      --help            print this
      --version         print the version

    It does not model: trusted hardware (its quotes are mocks), passkeys, who may do what, more
    than one package, storage, TLS, and any call that the consent guide does not name.

    Controls, in JSON over plain http below the node's address:

    \(controls.joined(separator: "\n"))

    Misbehaviours, for /dev/misbehave {"name", "on", "skip", "times", "number", "value"}: "on" is
    one of its calls (all of them without it), "skip" calls are answered well before,
    "times" is how many are spoilt, once without it, or "forever".

    \(misbehaviours.joined(separator: "\n"))

    """
  }

  private static var controls: [String] {
    ControlTable.all.map { control in
      let fields = control.fields.isEmpty ? "" : " {\(control.fields.joined(separator: ", "))}"
      return "  \(control.method) \(control.path)\(fields)\n      \(control.about)"
    }
  }

  private static var misbehaviours: [String] {
    Misbehaviour.allCases.map { misbehaviour in
      let entry = misbehaviour.entry
      let calls = CallName.allCases.filter(entry.calls.contains).map(\.rawValue)
      return "  \(misbehaviour.rawValue) \(parameter(entry.takes))\n"
        + "      \(entry.about)\n      on: \(calls.joined(separator: " "))"
    }
  }

  private static func parameter(_ parameter: Misbehaviour.Parameter) -> String {
    switch parameter {
    case .none: ""
    case .number(let name, let standard): "number=\(name) (\(standard))"
    case .text(let name, let standard): "value=\(name) (\(standard))"
    }
  }
}
