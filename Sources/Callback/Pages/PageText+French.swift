func frenchText(on topic: PageTopic) -> PageText {
  switch topic {
  case .verdict(.checking):
    PageText(
      heading: "Le nœud est interrogé",
      happened: """
        Vous revenez de la page de consentement. On demande en ce moment au nœud ce que vous \
        avez décidé.
        """,
      next: "Veuillez patienter un instant. Cette page s’actualise d’elle-même.")
  case .verdict(.approved):
    PageText(
      heading: "Demande approuvée",
      happened: "Le nœud confirme que vous avez approuvé la demande.",
      next: "Vous pouvez fermer cette fenêtre et revenir à l’application.")
  case .verdict(.declined):
    PageText(
      heading: "Demande refusée",
      happened: "Le nœud confirme que vous avez refusé la demande. Rien n’a été modifié.",
      next: "Vous pouvez fermer cette fenêtre et revenir à l’application.")
  case .verdict(.notDecided):
    PageText(
      heading: "Pas encore décidée",
      happened: """
        Selon le nœud, la demande de l’application attend toujours votre décision. Si vous \
        venez d’approuver quelque chose, c’était une autre demande.
        """,
      next: """
        Revenez à l’application. N’approuvez que sur une page qui affiche le même code que \
        l’application.
        """)
  case .verdict(.mismatch):
    PageText(
      heading: "Une autre demande",
      happened: """
        Ce retour ne correspond pas à la demande que l’application attend. Rien n’a été \
        confirmé.
        """,
      next: """
        Revenez à l’application et recommencez à partir de là. Si vous n’avez rien demandé, \
        fermez simplement cette fenêtre.
        """)
  case .verdict(.replaced):
    PageText(
      heading: "Remplacée par une demande plus récente",
      happened: """
        Une demande plus récente a pris la place de celle-ci, qui ne peut plus être décidée.
        """,
      next: """
        Revenez à l’application et recommencez. Si la demande plus récente ne vient pas de \
        vous, refusez-la.
        """)
  case .verdict(.expired):
    PageText(
      heading: "Demande expirée",
      happened: "Le délai de cette demande s’est écoulé avant qu’il y ait une décision.",
      next: "Revenez à l’application et recommencez.")
  case .verdict(.cancelled):
    PageText(
      heading: "Demande annulée",
      happened: "L’application n’attend plus cette demande.",
      next: "Si vous la souhaitez encore, revenez à l’application et recommencez.")
  case .verdict(.notConfirmed):
    PageText(
      heading: "Décision non confirmée",
      happened: """
        Vous revenez de la page de consentement, mais le nœud n’a pas pu confirmer votre \
        décision.
        """,
      next: """
        Revenez à l’application\u{A0}: elle affichera votre décision dès que le nœud la confirmera. \
        Vous pouvez aussi recharger cette page.
        """)
  case .verdict(.unknown):
    PageText(
      heading: "Demande inconnue",
      happened: """
        Cette adresse ne correspond à aucune demande sur cet ordinateur. Elle est peut-être \
        ancienne.
        """,
      next: "Revenez à l’application et vérifiez. Si elle attend toujours, recommencez.")
  case .malformed:
    PageText(
      heading: "Adresse non comprise",
      happened: """
        L’adresse qui vous a conduit ici est incomplète ou endommagée. Rien n’a été confirmé.
        """,
      next: "Revenez à l’application\u{A0}: elle trouvera votre décision sans cette page.")
  case .refused:
    PageText(
      heading: "Adresse non acceptée",
      happened: """
        Cette adresse ne fonctionne que si un navigateur l’ouvre lui-même, exactement telle \
        qu’elle a été donnée. Rien n’a été confirmé.
        """,
      next: "Revenez à l’application\u{A0}: elle trouvera votre décision sans cette page.")
  case .anotherUser:
    PageText(
      heading: "Un autre utilisateur",
      happened: """
        Cette adresse ne répond qu’aux navigateurs de l’utilisateur dont l’application a fait la \
        demande. Ce navigateur appartient à un autre utilisateur de cet ordinateur. Rien n’a été \
        confirmé.
        """,
      next: "Revenez à l’application\u{A0}: elle trouvera votre décision sans cette page.")
  case .notFound:
    PageText(
      heading: "Il n’y a rien ici",
      happened: "Aucune page ne se trouve à cette adresse.",
      next: "Vous pouvez fermer cette fenêtre et revenir à l’application.")
  case .limited:
    PageText(
      heading: "Trop de retours",
      happened:
        "Trop de retours sont arrivés en même temps\u{202F}; ce retour n’a pas été examiné.",
      next: """
        Revenez à l’application\u{A0}: elle trouvera votre décision sans cette page. Vous pouvez \
        aussi recharger cette page dans une minute.
        """)
  }
}
