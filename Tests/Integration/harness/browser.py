"""The person's browser: opens pages, presses their buttons, and follows where they lead."""

import http.client
import re
from urllib.parse import urlencode, urljoin, urlsplit

from .site import NAVIGATION
from .waiting import PATIENCE

# More redirects than this are a loop; browsers take 20.
HOPS = 10


class Page:
    def __init__(self, url, status, headers, text, hops):
        self.url, self.status, self.headers, self.text = url, status, headers, text
        # Every address on the way, this one included.
        self.hops = hops

    @property
    def state(self):
        """Its `data-state`; None on what is no page of ours."""
        found = re.search(r'<main data-state="([a-z-]+)"', self.text)
        return found and found[1]

    @property
    def heading(self):
        found = re.search(r"<h1[^>]*>(.*?)</h1>", self.text, re.DOTALL)
        return found and found[1].strip()

    @property
    def code(self):
        """The code that the consent page shows."""
        found = re.search(r'<p class="code">([^<]+)</p>', self.text)
        return found and found[1]


def open_page(url):
    """Navigates to `url`, follows redirects, and waits where the page says that it will tell."""
    page = _follow("GET", url)
    while page.state == "checking":
        page = _follow("GET", page.url, hops=page.hops[:-1])
    return page


def press(page, decision):
    """Presses a button of the consent page's form."""
    action = re.search(r'<form method="post" action="([^"]+)"', page.text)[1]
    page = _follow("POST", urljoin(page.url, action), urlencode({"decision": decision}))
    return page if page.state != "checking" else open_page(page.url)


def _follow(method, url, body=None, hops=()):
    hops = list(hops)
    while True:
        hops.append(url)
        assert len(hops) <= HOPS, f"redirected in a circle: {hops}"
        status, headers, text = _exchange(method, url, body)
        if status not in (301, 302, 303, 307, 308):
            return Page(url, status, headers, text, hops)
        # Every redirect here is a 303, which is followed by GET; so do browsers after a 302.
        method, body, url = "GET", None, urljoin(url, headers["Location"])


def _exchange(method, url, body):
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
    headers = dict(NAVIGATION)
    if body is not None:
        # A browser names the origin of a form, and the form is the page's own.
        headers |= {
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": f"{parts.scheme}://{parts.netloc}", "Sec-Fetch-Site": "same-origin",
        }
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()
