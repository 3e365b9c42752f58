func englishText(on topic: PageTopic) -> PageText {
  switch topic {
  case .verdict(.checking):
    PageText(
      heading: "Asking the node",
      happened: "You are back from the consent page. The node is now being asked what you decided.",
      next: "Please wait a moment. This page refreshes by itself.")
  case .verdict(.approved):
    PageText(
      heading: "Approved",
      happened: "The node confirms that you approved the request.",
      next: "You can close this window and go back to the app.")
  case .verdict(.declined):
    PageText(
      heading: "Declined",
      happened: "The node confirms that you declined the request. Nothing was changed.",
      next: "You can close this window and go back to the app.")
  case .verdict(.notDecided):
    PageText(
      heading: "Not decided yet",
      happened: """
        The node says that the app’s request still waits for your decision. If you have just \
        approved something, it was a different request.
        """,
      next: "Go back to the app. Approve only on a page that shows the same code as the app.")
  case .verdict(.mismatch):
    PageText(
      heading: "A different request",
      happened: """
        This return does not belong to the request that the app is waiting for. Nothing was \
        confirmed.
        """,
      next: """
        Go back to the app and ask again from there. If you did not start anything, just close \
        this window.
        """)
  case .verdict(.replaced):
    PageText(
      heading: "Replaced by a newer request",
      happened: "A newer request took the place of this one, so this one can no longer be decided.",
      next: """
        Go back to the app and ask again. If you did not start the newer request yourself, \
        decline it.
        """)
  case .verdict(.expired):
    PageText(
      heading: "Expired",
      happened: "The time for this request ran out before there was a decision.",
      next: "Go back to the app and ask again.")
  case .verdict(.cancelled):
    PageText(
      heading: "Cancelled",
      happened: "The app has stopped waiting for this request.",
      next: "If you still want it, go back to the app and ask again.")
  case .verdict(.notConfirmed):
    PageText(
      heading: "Not confirmed",
      happened: "You are back from the consent page, but the node could not confirm your decision.",
      next: """
        Go back to the app: it shows your decision as soon as the node confirms it. You can \
        also reload this page.
        """)
  case .verdict(.unknown):
    PageText(
      heading: "Not known here",
      happened: "This address belongs to no request on this computer. It may be an old one.",
      next: "Go back to the app and look there. If it is still waiting, ask again.")
  case .malformed:
    PageText(
      heading: "Address not understood",
      happened: """
        The address that brought you here is incomplete or damaged. Nothing was confirmed.
        """,
      next: "Go back to the app: it finds your decision without this page.")
  case .refused:
    PageText(
      heading: "Not accepted",
      happened: """
        This address works only when a browser opens it by itself, exactly as it was given out. \
        Nothing was confirmed.
        """,
      next: "Go back to the app: it finds your decision without this page.")
  case .anotherUser:
    PageText(
      heading: "Another user",
      happened: """
        This address serves only browsers of the user whose app asked. This browser runs as \
        another user of this computer. Nothing was confirmed.
        """,
      next: "Go back to the app: it finds your decision without this page.")
  case .notFound:
    PageText(
      heading: "Nothing here",
      happened: "There is no page at this address.",
      next: "You can close this window and go back to the app.")
  case .limited:
    PageText(
      heading: "Too many returns",
      happened: "Too many returns came in at once, so this one was not looked at.",
      next: """
        Go back to the app: it finds your decision without this page. You can also reload this \
        page in a minute.
        """)
  }
}
