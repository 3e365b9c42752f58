/// In traditional characters, with the words that readers of them use.
func traditionalChineseText(on topic: PageTopic) -> PageText {
  switch topic {
  case .verdict(.checking):
    PageText(
      heading: "正在詢問節點",
      happened: "您已從同意頁面返回。正在向節點詢問您的決定。",
      next: "請稍候，此頁面會自動重新整理。")
  case .verdict(.approved):
    PageText(
      heading: "已核准",
      happened: "節點確認您已核准該請求。",
      next: "您可以關閉此視窗並返回應用程式。")
  case .verdict(.declined):
    PageText(
      heading: "已拒絕",
      happened: "節點確認您已拒絕該請求。沒有任何變更。",
      next: "您可以關閉此視窗並返回應用程式。")
  case .verdict(.notDecided):
    PageText(
      heading: "尚未決定",
      happened: "節點表示，應用程式的請求仍在等待您的決定。如果您剛剛核准了什麼，那是另一個請求。",
      next: "請返回應用程式。只在顯示的代碼與應用程式相同的頁面上核准。")
  case .verdict(.mismatch):
    PageText(
      heading: "這是另一個請求",
      happened: "此次返回不屬於應用程式正在等待的請求。沒有確認任何內容。",
      next: "請返回應用程式並從那裡重新發起。如果您沒有發起任何請求，請直接關閉此視窗。")
  case .verdict(.replaced):
    PageText(
      heading: "已被新的請求取代",
      happened: "一個較新的請求取代了此請求，因此無法再對它作出決定。",
      next: "請返回應用程式並重新發起。如果較新的請求不是您發起的，請拒絕它。")
  case .verdict(.expired):
    PageText(
      heading: "已過期",
      happened: "此請求在作出決定之前已超過時限。",
      next: "請返回應用程式並重新發起。")
  case .verdict(.cancelled):
    PageText(
      heading: "已取消",
      happened: "應用程式已不再等待此請求。",
      next: "如果您仍然需要，請返回應用程式並重新發起。")
  case .verdict(.notConfirmed):
    PageText(
      heading: "未能確認",
      happened: "您已從同意頁面返回，但節點未能確認您的決定。",
      next: "請返回應用程式：節點一旦確認，應用程式就會顯示您的決定。您也可以重新載入此頁面。")
  case .verdict(.unknown):
    PageText(
      heading: "此處沒有紀錄",
      happened: "此網址不屬於這台電腦上的任何請求，它可能已經過時。",
      next: "請返回應用程式查看。如果應用程式仍在等待，請重新發起。")
  case .malformed:
    PageText(
      heading: "無法辨識的網址",
      happened: "您開啟的網址不完整或已損壞。沒有確認任何內容。",
      next: "請返回應用程式：沒有此頁面，應用程式也能得知您的決定。")
  case .refused:
    PageText(
      heading: "未被接受",
      happened: "此網址只有在瀏覽器依原樣直接開啟時才有效。沒有確認任何內容。",
      next: "請返回應用程式：沒有此頁面，應用程式也能得知您的決定。")
  case .anotherUser:
    PageText(
      heading: "這是另一個使用者",
      happened: "此網址只回應發出請求的應用程式所屬使用者的瀏覽器。此瀏覽器屬於這台電腦上的另一個使用者。沒有確認任何內容。",
      next: "請返回應用程式：沒有此頁面，應用程式也能得知您的決定。")
  case .notFound:
    PageText(
      heading: "此處沒有內容",
      happened: "此網址沒有頁面。",
      next: "您可以關閉此視窗並返回應用程式。")
  case .limited:
    PageText(
      heading: "返回次數過多",
      happened: "同時收到的返回過多，因此未處理此次返回。",
      next: "請返回應用程式：沒有此頁面，應用程式也能得知您的決定。您也可以一分鐘後重新載入此頁面。")
  }
}
