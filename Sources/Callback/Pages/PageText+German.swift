func germanText(on topic: PageTopic) -> PageText {
  switch topic {
  case .verdict(.checking):
    PageText(
      heading: "Der Knoten wird gefragt",
      happened: """
        Sie kommen von der Zustimmungsseite zurück. Der Knoten wird gerade gefragt, wie Sie \
        entschieden haben.
        """,
      next: "Bitte warten Sie einen Moment. Diese Seite lädt sich von selbst neu.")
  case .verdict(.approved):
    PageText(
      heading: "Zugestimmt",
      happened: "Der Knoten bestätigt, dass Sie der Anfrage zugestimmt haben.",
      next: "Sie können dieses Fenster schließen und zur App zurückkehren.")
  case .verdict(.declined):
    PageText(
      heading: "Abgelehnt",
      happened: """
        Der Knoten bestätigt, dass Sie die Anfrage abgelehnt haben. Es wurde nichts geändert.
        """,
      next: "Sie können dieses Fenster schließen und zur App zurückkehren.")
  case .verdict(.notDecided):
    PageText(
      heading: "Noch nicht entschieden",
      happened: """
        Laut Knoten wartet die Anfrage der App noch auf Ihre Entscheidung. Falls Sie gerade \
        etwas zugestimmt haben, war es eine andere Anfrage.
        """,
      next: """
        Kehren Sie zur App zurück. Stimmen Sie nur auf einer Seite zu, die denselben Code zeigt \
        wie die App.
        """)
  case .verdict(.mismatch):
    PageText(
      heading: "Eine andere Anfrage",
      happened: """
        Diese Rückkehr gehört nicht zu der Anfrage, auf die die App wartet. Es wurde nichts \
        bestätigt.
        """,
      next: """
        Kehren Sie zur App zurück und fragen Sie von dort aus erneut an. Falls Sie nichts begonnen \
        haben, schließen Sie einfach dieses Fenster.
        """)
  case .verdict(.replaced):
    PageText(
      heading: "Durch eine neuere Anfrage ersetzt",
      happened: """
        Eine neuere Anfrage ist an die Stelle dieser Anfrage getreten. Über diese kann nicht \
        mehr entschieden werden.
        """,
      next: """
        Kehren Sie zur App zurück und fragen Sie erneut an. Falls Sie die neuere Anfrage nicht \
        selbst begonnen haben, lehnen Sie sie ab.
        """)
  case .verdict(.expired):
    PageText(
      heading: "Abgelaufen",
      happened: "Die Zeit für diese Anfrage lief ab, bevor es eine Entscheidung gab.",
      next: "Kehren Sie zur App zurück und fragen Sie erneut an.")
  case .verdict(.cancelled):
    PageText(
      heading: "Abgebrochen",
      happened: "Die App wartet nicht mehr auf diese Anfrage.",
      next: "Falls Sie sie noch möchten, kehren Sie zur App zurück und fragen Sie erneut an.")
  case .verdict(.notConfirmed):
    PageText(
      heading: "Nicht bestätigt",
      happened: """
        Sie kommen von der Zustimmungsseite zurück, aber der Knoten konnte Ihre Entscheidung \
        nicht bestätigen.
        """,
      next: """
        Kehren Sie zur App zurück: Sie zeigt Ihre Entscheidung, sobald der Knoten sie \
        bestätigt. Sie können auch diese Seite neu laden.
        """)
  case .verdict(.unknown):
    PageText(
      heading: "Hier nicht bekannt",
      happened: """
        Diese Adresse gehört zu keiner Anfrage auf diesem Computer. Vielleicht ist sie alt.
        """,
      next: """
        Kehren Sie zur App zurück und sehen Sie dort nach. Falls sie noch wartet, fragen Sie \
        erneut an.
        """)
  case .malformed:
    PageText(
      heading: "Adresse nicht verstanden",
      happened: """
        Die Adresse, die Sie hierher geführt hat, ist unvollständig oder beschädigt. Es wurde \
        nichts bestätigt.
        """,
      next: "Kehren Sie zur App zurück: Sie findet Ihre Entscheidung auch ohne diese Seite.")
  case .refused:
    PageText(
      heading: "Nicht angenommen",
      happened: """
        Diese Adresse funktioniert nur, wenn ein Browser sie selbst und genau so öffnet, wie \
        sie ausgegeben wurde. Es wurde nichts bestätigt.
        """,
      next: "Kehren Sie zur App zurück: Sie findet Ihre Entscheidung auch ohne diese Seite.")
  case .anotherUser:
    PageText(
      heading: "Ein anderer Benutzer",
      happened: """
        Diese Adresse antwortet nur Browsern des Benutzers, dessen App gefragt hat. Dieser \
        Browser läuft unter einem anderen Benutzer dieses Computers. Es wurde nichts bestätigt.
        """,
      next: "Kehren Sie zur App zurück: Sie findet Ihre Entscheidung auch ohne diese Seite.")
  case .notFound:
    PageText(
      heading: "Hier ist nichts",
      happened: "Unter dieser Adresse gibt es keine Seite.",
      next: "Sie können dieses Fenster schließen und zur App zurückkehren.")
  case .limited:
    PageText(
      heading: "Zu viele Rückkehrversuche",
      happened: "Es kamen zu viele auf einmal, deshalb wurde dieser nicht geprüft.",
      next: """
        Kehren Sie zur App zurück: Sie findet Ihre Entscheidung auch ohne diese Seite. Sie \
        können auch diese Seite in einer Minute neu laden.
        """)
  }
}
