"""One tab of the real browser: where it is, what it shows, and all that happened in it."""

import base64
import time

from .waiting import PATIENCE


class Refused(Exception):
    """What the browser could not do."""


# Keys that are pressed in tests, by their DevTools names.
KEYS = {
    "Tab": {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9},
    "Enter": {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"},
    "Space": {"key": " ", "code": "Space", "windowsVirtualKeyCode": 32, "text": " "},
}


class Tab:
    def __init__(self, browser, context, target, session):
        self.browser, self.context, self.target, self.session = browser, context, target, session
        # Every request in order, as dicts with `url`, `type`, and what is known of the answer.
        self.requests = []
        # What the browser complains of: console, log, exceptions, issues (CSP, mixed content, …).
        self.complaints = []
        self.loads = 0
        # By DevTools' number, which all redirects of one request share; what was really sent of
        # them comes apart, in the same order.
        self.by_id, self.sent = {}, {}

    def prepare(self):
        for domain in ("Page", "Network", "Runtime", "Log", "Audits"):
            self.call(f"{domain}.enable")
        # Keys reach it also when another tab was opened later.
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    # MARK: What happened

    def note(self, method, params):
        match method:
            case "Page.loadEventFired":
                self.loads += 1
            case "Network.requestWillBeSent":
                if "redirectResponse" in params:
                    self._answered(params["requestId"], params["redirectResponse"])
                request = {"url": params["request"]["url"], "type": params.get("type"),
                           "method": params["request"]["method"]}
                self.by_id.setdefault(params["requestId"], []).append(request)
                self.requests.append(request)
            case "Network.requestWillBeSentExtraInfo":
                self.sent.setdefault(params["requestId"], []).append(params["headers"])
            case "Network.responseReceived":
                self._answered(params["requestId"], params["response"])
            case "Network.loadingFailed":
                for request in self.by_id.get(params["requestId"], ())[-1:]:
                    request["failure"] = params.get("blockedReason") or params["errorText"]
            case "Log.entryAdded":
                self.complaints.append(params["entry"]["text"])
            case "Runtime.consoleAPICalled":
                self.complaints.append(f"console.{params['type']}")
            case "Runtime.exceptionThrown":
                self.complaints.append(params["exceptionDetails"]["text"])
            case "Audits.issueAdded":
                # What follows somebody from site to site is none of ours: it takes the first word
                # of an app's own address for a site.
                if params["issue"]["code"] != "BounceTrackingIssue":
                    self.complaints.append(str(params["issue"]))

    def _answered(self, number, response):
        for request in self.by_id.get(number, ())[-1:]:
            request["status"] = response["status"]
            request["answer"] = {
                name.lower(): value for name, value in response["headers"].items()}

    def headers(self, url):
        """What was sent with the newest request for `url`, on the wire."""
        for number, requests in reversed(self.by_id.items()):
            for place, request in enumerate(requests):
                if request["url"] == url:
                    # The browser tells them apart, and not always first.
                    return self.until(
                        lambda: self.sent.get(number, [])[place:place + 1], "its headers")[0]
        raise AssertionError(f"{url} was not asked for")

    @property
    def documents(self):
        """The addresses that it navigated to, redirects among them."""
        return [item["url"] for item in self.requests if item["type"] == "Document"]

    # MARK: Going somewhere

    def open(self, url):
        """Navigates, and waits until the page is there. Answers the browser's error, if any."""
        before = self.loads
        answer = self.call("Page.navigate", url=url)
        if "errorText" not in answer and "loaderId" in answer:
            self.until(lambda: self.loads > before, f"{url} is there")
        return answer.get("errorText")

    def reload(self):
        before = self.loads
        self.call("Page.reload")
        self.until(lambda: self.loads > before, "the page is there again")

    def travel(self, steps):
        """Back or forward in the tab's history."""
        history = self.call("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"] + steps]
        self.call("Page.navigateToHistoryEntry", entryId=entry["id"])
        self.until(lambda: self.url == entry["url"], f"the way to {entry['url']}")

    @property
    def url(self):
        history = self.call("Page.getNavigationHistory")
        return history["entries"][history["currentIndex"]]["url"]

    def until(self, condition, what, within=PATIENCE):
        """Looks at `condition` after each of the browser's events, until it is true."""
        deadline = time.monotonic() + within
        while True:
            try:
                value = condition()
            except Refused:
                # The page that was asked is just being left.
                value = None
            if value:
                return value
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {within} s: {what}; at {self.url}:\n{self.text}")
            self.browser.look()

    def until_state(self, *states):
        return self.until(lambda: self.state in states and self.state, f"a page {states}")

    # MARK: What it shows

    def ask(self, expression):
        """The value of a JavaScript expression, which works with the page's own scripts off."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    @property
    def state(self):
        """The page's `data-state`; None on what is no page of ours."""
        return self.ask("document.querySelector('main')?.dataset.state")

    @property
    def title(self):
        return self.ask("document.title")

    @property
    def text(self):
        return self.ask("document.body?.innerText")

    def text_of(self, selector):
        return self.ask(f"document.querySelector({selector!r})?.innerText")

    def tree(self):
        """The accessibility tree as (role, name, properties), without what is ignored."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""),
             {item["name"]: item["value"].get("value") for item in node.get("properties", ())})
            for node in nodes if not node.get("ignored")]

    def picture(self):
        """What is seen, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    # MARK: How it is looked at

    def resize(self, width, height, scale=1, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=mobile)

    def prefer(self, **features):
        """Media features: `prefer(color_scheme="dark", reduced_motion="reduce")`."""
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": f"prefers-{name.replace('_', '-')}", "value": value}
            for name, value in features.items()])

    def speak(self, languages):
        """What the person has set as languages: `de-AT,de,en`."""
        agent = self.browser.call("Browser.getVersion")["userAgent"]
        self.call("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=languages)

    def without_script(self):
        self.call("Emulation.setScriptExecutionDisabled", value=True)

    # MARK: The person's hands

    def click(self, selector):
        """A real click in the middle of an element."""
        box = self.ask(
            f"(e => e && (e.scrollIntoView({{block: 'center'}}), e.getBoundingClientRect().toJSON()))"
            f"(document.querySelector({selector!r}))")
        assert box, f"there is no {selector} at {self.url}"
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2,
                 "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, **place)

    def press(self, key):
        self.call("Input.dispatchKeyEvent", type="keyDown", **KEYS[key])
        self.call("Input.dispatchKeyEvent", type="keyUp", **KEYS[key])

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.tabs.pop(self.session, None)
