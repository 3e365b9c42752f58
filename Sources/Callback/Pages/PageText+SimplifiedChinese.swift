/// In simplified characters.
func simplifiedChineseText(on topic: PageTopic) -> PageText {
  switch topic {
  case .verdict(.checking):
    PageText(
      heading: "正在询问节点",
      happened: "您已从同意页面返回。正在向节点询问您的决定。",
      next: "请稍候，此页面会自动刷新。")
  case .verdict(.approved):
    PageText(
      heading: "已批准",
      happened: "节点确认您已批准该请求。",
      next: "您可以关闭此窗口并返回应用。")
  case .verdict(.declined):
    PageText(
      heading: "已拒绝",
      happened: "节点确认您已拒绝该请求。没有任何更改。",
      next: "您可以关闭此窗口并返回应用。")
  case .verdict(.notDecided):
    PageText(
      heading: "尚未决定",
      happened: "节点表示，应用的请求仍在等待您的决定。如果您刚刚批准了什么，那是另一个请求。",
      next: "请返回应用。只在显示的代码与应用相同的页面上批准。")
  case .verdict(.mismatch):
    PageText(
      heading: "这是另一个请求",
      happened: "此次返回不属于应用正在等待的请求。没有确认任何内容。",
      next: "请返回应用并从那里重新发起。如果您没有发起任何请求，请直接关闭此窗口。")
  case .verdict(.replaced):
    PageText(
      heading: "已被新的请求取代",
      happened: "一个更新的请求取代了此请求，因此无法再对它作出决定。",
      next: "请返回应用并重新发起。如果更新的请求不是您发起的，请拒绝它。")
  case .verdict(.expired):
    PageText(
      heading: "已过期",
      happened: "此请求在作出决定之前已超过时限。",
      next: "请返回应用并重新发起。")
  case .verdict(.cancelled):
    PageText(
      heading: "已取消",
      happened: "应用已不再等待此请求。",
      next: "如果您仍然需要，请返回应用并重新发起。")
  case .verdict(.notConfirmed):
    PageText(
      heading: "未能确认",
      happened: "您已从同意页面返回，但节点未能确认您的决定。",
      next: "请返回应用：节点一旦确认，应用就会显示您的决定。您也可以重新加载此页面。")
  case .verdict(.unknown):
    PageText(
      heading: "此处没有记录",
      happened: "此地址不属于这台电脑上的任何请求，它可能已经过时。",
      next: "请返回应用查看。如果应用仍在等待，请重新发起。")
  case .malformed:
    PageText(
      heading: "无法识别的地址",
      happened: "您打开的地址不完整或已损坏。没有确认任何内容。",
      next: "请返回应用：没有此页面，应用也能得知您的决定。")
  case .refused:
    PageText(
      heading: "未被接受",
      happened: "此地址只有在浏览器按原样直接打开时才有效。没有确认任何内容。",
      next: "请返回应用：没有此页面，应用也能得知您的决定。")
  case .anotherUser:
    PageText(
      heading: "这是另一个用户",
      happened: "此地址只回应发起请求的应用所属用户的浏览器。此浏览器属于这台电脑上的另一个用户。没有确认任何内容。",
      next: "请返回应用：没有此页面，应用也能得知您的决定。")
  case .notFound:
    PageText(
      heading: "此处没有内容",
      happened: "此地址没有页面。",
      next: "您可以关闭此窗口并返回应用。")
  case .limited:
    PageText(
      heading: "返回次数过多",
      happened: "同时收到的返回过多，因此未处理此次返回。",
      next: "请返回应用：没有此页面，应用也能得知您的决定。您也可以一分钟后重新加载此页面。")
  }
}
