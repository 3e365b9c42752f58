"""The callback as a browser uses it."""

import re
from urllib.parse import urlencode, urlsplit

from .wire import Connection, exchange, request_bytes

# What a browser sends with a navigation from another site.
NAVIGATION = {
    "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
    "Sec-Fetch-User": "?1", "Upgrade-Insecure-Requests": "1", "Accept-Language": "en",
}


class Site:
    def __init__(self, port):
        self.port = port
        self.host = f"127.0.0.1:{port}"

    def connection(self, address="127.0.0.1"):
        return Connection((address, self.port))

    def call(self, method, target, headers=(), host=..., address="127.0.0.1", body=b""):
        fields = list(headers.items() if isinstance(headers, dict) else headers)
        data = request_bytes(
            method, target, fields, body, self.host if host is ... else host)
        return exchange((address, self.port), data, method)

    def get(self, target, headers=NAVIGATION, **more):
        return self.call("GET", target, headers, **more)

    def bring_back(self, target, headers=NAVIGATION):
        """A return as a browser makes it: the redirect is followed, and the page refreshed, until
        there is a verdict. Answers the last page."""
        answer = self.get(target, headers)
        if answer.status != 303:
            return answer
        place = answer["Location"]
        while True:
            page = self.get(place, headers)
            if state(page) != "checking":
                return page


def state(page):
    """The `data-state` of a page; None on an answer that is no page."""
    found = re.search(r'<main data-state="([a-z-]+)">', page.text)
    return found and found[1]


def target(callback, **query):
    """The path of a callback address with a query."""
    place = urlsplit(callback).path
    return f"{place}?{urlencode(query)}" if query else place
