func spanishText(on topic: PageTopic) -> PageText {
  switch topic {
  case .verdict(.checking):
    PageText(
      heading: "Consultando al nodo",
      happened: """
        Ha vuelto de la página de consentimiento. Se está preguntando al nodo qué decidió \
        usted.
        """,
      next: "Espere un momento. Esta página se actualiza sola.")
  case .verdict(.approved):
    PageText(
      heading: "Solicitud aprobada",
      happened: "El nodo confirma que usted aprobó la solicitud.",
      next: "Puede cerrar esta ventana y volver a la aplicación.")
  case .verdict(.declined):
    PageText(
      heading: "Solicitud rechazada",
      happened: "El nodo confirma que usted rechazó la solicitud. No se ha cambiado nada.",
      next: "Puede cerrar esta ventana y volver a la aplicación.")
  case .verdict(.notDecided):
    PageText(
      heading: "Aún sin decidir",
      happened: """
        El nodo dice que la solicitud de la aplicación sigue a la espera de su decisión. Si \
        acaba de aprobar algo, era otra solicitud.
        """,
      next: """
        Vuelva a la aplicación. Apruebe solo en una página que muestre el mismo código que la \
        aplicación.
        """)
  case .verdict(.mismatch):
    PageText(
      heading: "Otra solicitud",
      happened: """
        Este regreso no corresponde a la solicitud que espera la aplicación. No se ha \
        confirmado nada.
        """,
      next: """
        Vuelva a la aplicación y pídalo de nuevo desde allí. Si no inició nada, cierre esta \
        ventana.
        """)
  case .verdict(.replaced):
    PageText(
      heading: "Sustituida por una solicitud más reciente",
      happened: "Una solicitud más reciente ocupó el lugar de esta, que ya no se puede decidir.",
      next: """
        Vuelva a la aplicación y pídalo de nuevo. Si no inició usted la solicitud más reciente, \
        rechácela.
        """)
  case .verdict(.expired):
    PageText(
      heading: "Solicitud caducada",
      happened: "El tiempo de esta solicitud se agotó antes de que hubiera una decisión.",
      next: "Vuelva a la aplicación y pídalo de nuevo.")
  case .verdict(.cancelled):
    PageText(
      heading: "Solicitud cancelada",
      happened: "La aplicación ha dejado de esperar esta solicitud.",
      next: "Si todavía la quiere, vuelva a la aplicación y pídala de nuevo.")
  case .verdict(.notConfirmed):
    PageText(
      heading: "Decisión sin confirmar",
      happened: """
        Ha vuelto de la página de consentimiento, pero el nodo no pudo confirmar su decisión.
        """,
      next: """
        Vuelva a la aplicación: mostrará su decisión en cuanto el nodo la confirme. También \
        puede recargar esta página.
        """)
  case .verdict(.unknown):
    PageText(
      heading: "Solicitud desconocida",
      happened: """
        Esta dirección no corresponde a ninguna solicitud de este equipo. Puede que sea antigua.
        """,
      next: "Vuelva a la aplicación y compruébelo allí. Si sigue esperando, pídalo de nuevo.")
  case .malformed:
    PageText(
      heading: "Dirección no reconocida",
      happened: """
        La dirección que le trajo aquí está incompleta o dañada. No se ha confirmado nada.
        """,
      next: "Vuelva a la aplicación: encontrará su decisión sin esta página.")
  case .refused:
    PageText(
      heading: "Dirección no aceptada",
      happened: """
        Esta dirección solo funciona cuando un navegador la abre por sí mismo, tal como se \
        entregó. No se ha confirmado nada.
        """,
      next: "Vuelva a la aplicación: encontrará su decisión sin esta página.")
  case .anotherUser:
    PageText(
      heading: "Otro usuario",
      happened: """
        Esta dirección solo atiende a navegadores del usuario cuya aplicación hizo la solicitud. \
        Este navegador pertenece a otro usuario de este equipo. No se ha confirmado nada.
        """,
      next: "Vuelva a la aplicación: encontrará su decisión sin esta página.")
  case .notFound:
    PageText(
      heading: "Aquí no hay nada",
      happened: "No existe ninguna página en esta dirección.",
      next: "Puede cerrar esta ventana y volver a la aplicación.")
  case .limited:
    PageText(
      heading: "Demasiados regresos",
      happened: "Llegaron demasiados a la vez, así que este no se ha examinado.",
      next: """
        Vuelva a la aplicación: encontrará su decisión sin esta página. También puede \
        recargarla dentro de un minuto.
        """)
  }
}
