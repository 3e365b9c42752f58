func japaneseText(on topic: PageTopic) -> PageText {
  switch topic {
  case .verdict(.checking):
    PageText(
      heading: "ノードに確認しています",
      happened: "同意ページから戻りました。あなたの決定をノードに問い合わせています。",
      next: "しばらくお待ちください。このページは自動的に更新されます。")
  case .verdict(.approved):
    PageText(
      heading: "承認されました",
      happened: "あなたがリクエストを承認したことを、ノードが確認しました。",
      next: "このウィンドウを閉じて、アプリに戻ってください。")
  case .verdict(.declined):
    PageText(
      heading: "拒否されました",
      happened: "あなたがリクエストを拒否したことを、ノードが確認しました。何も変更されていません。",
      next: "このウィンドウを閉じて、アプリに戻ってください。")
  case .verdict(.notDecided):
    PageText(
      heading: "まだ決定されていません",
      happened: "アプリのリクエストは、まだあなたの決定を待っています。今なにかを承認した場合、それは別のリクエストです。",
      next: "アプリに戻ってください。アプリと同じコードが表示されているページでのみ承認してください。")
  case .verdict(.mismatch):
    PageText(
      heading: "別のリクエストです",
      happened: "この戻り先は、アプリが待っているリクエストのものではありません。何も確認されていません。",
      next: "アプリに戻り、そこからもう一度やり直してください。心当たりがない場合は、このウィンドウを閉じてください。")
  case .verdict(.replaced):
    PageText(
      heading: "新しいリクエストに置き換えられました",
      happened: "より新しいリクエストに置き換えられたため、このリクエストはもう決定できません。",
      next: "アプリに戻り、もう一度やり直してください。新しいリクエストに心当たりがない場合は、拒否してください。")
  case .verdict(.expired):
    PageText(
      heading: "期限切れです",
      happened: "決定される前に、このリクエストの期限が切れました。",
      next: "アプリに戻り、もう一度やり直してください。")
  case .verdict(.cancelled):
    PageText(
      heading: "取り消されました",
      happened: "アプリはこのリクエストを待つのをやめました。",
      next: "まだ必要な場合は、アプリに戻り、もう一度やり直してください。")
  case .verdict(.notConfirmed):
    PageText(
      heading: "確認できませんでした",
      happened: "同意ページから戻りましたが、ノードはあなたの決定を確認できませんでした。",
      next: "アプリに戻ってください。ノードが確認でき次第、アプリに決定が表示されます。このページを再読み込みすることもできます。")
  case .verdict(.unknown):
    PageText(
      heading: "不明なアドレスです",
      happened: "このアドレスに対応するリクエストは、このコンピューターにはありません。古いものかもしれません。",
      next: "アプリに戻って確認してください。まだ待っている場合は、もう一度やり直してください。")
  case .malformed:
    PageText(
      heading: "アドレスを読み取れません",
      happened: "開かれたアドレスは不完全か、壊れています。何も確認されていません。",
      next: "アプリに戻ってください。このページがなくても、アプリはあなたの決定を確認できます。")
  case .refused:
    PageText(
      heading: "受け付けませんでした",
      happened: "このアドレスは、渡されたとおりにブラウザーが直接開いたときにのみ機能します。何も確認されていません。",
      next: "アプリに戻ってください。このページがなくても、アプリはあなたの決定を確認できます。")
  case .anotherUser:
    PageText(
      heading: "別のユーザーです",
      happened: """
        このアドレスは、リクエストしたアプリと同じユーザーのブラウザーにのみ応答します。\
        このブラウザーは、このコンピューターの別のユーザーのものです。何も確認されていません。
        """,
      next: "アプリに戻ってください。このページがなくても、アプリはあなたの決定を確認できます。")
  case .notFound:
    PageText(
      heading: "ここには何もありません",
      happened: "このアドレスにページはありません。",
      next: "このウィンドウを閉じて、アプリに戻ってください。")
  case .limited:
    PageText(
      heading: "アクセスが多すぎます",
      happened: "一度に多くの要求が届いたため、この要求は処理されませんでした。",
      next: "アプリに戻ってください。このページがなくても、アプリはあなたの決定を確認できます。1分ほど待ってから、このページを再読み込みすることもできます。")
  }
}
