/// `mero-consent manual`: prints the manual page. For those who build packages; hidden.
enum ManualCommand {
  static let command = Command(
    path: ["manual"], group: .care, summary: "print the manual page in man(7)", isHidden: true,
    run: { (_, terminal) throws(CommandFailure) in
      try terminal.raw(ManualPage.text)
      return .done
    })
}
