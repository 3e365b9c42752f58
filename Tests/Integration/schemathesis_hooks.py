"""What generated calls need around them: a key, and a daemon that they cannot fill up."""

import json
import os

import requests
import schemathesis

URL = os.environ["MERO_URL"]
with open(os.environ["MERO_OPENING"]) as file:
    OPENING = json.load(file)
TOKENS = {name: OPENING[name] for name in ("accessToken", "refreshToken")}


def call(method, path, key=None, body=None):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return requests.request(method, URL + path, headers=headers, json=body, timeout=60)


if os.environ["MERO_KEYED"]:

    @schemathesis.auth(retry_on=[401])
    class SessionKey:
        key = None

        def get(self, case, context):
            """Asked again after each 401, most of which are meant to be one."""
            if self.key is None or call("GET", "/v1/session", self.key).status_code == 401:
                SessionKey.key = call("POST", "/v1/sessions", body=OPENING).json()["key"]
            return self.key

        def set(self, case, data, context):
            case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def after_call(context, case, response):
    """Sessions that calls opened are closed, and tokens that they spoilt are mended."""
    if case.path == "/v1/sessions" and response.status_code == 201:
        call("DELETE", "/v1/session", json.loads(response.content)["key"])
    if case.method == "PATCH" and response.status_code == 200:
        call("PATCH", "/v1/session", SessionKey.key, TOKENS)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """`DELETE` of a request ends the wait for it. Its record stays, and has to say that it ended:
    that alone is not a resource that can be used after it was freed."""
    if type(failure).__name__ != "UseAfterFree" or not case.path.startswith("/v1/requests/"):
        return True
    return response.status_code != 200 or json.loads(response.content)["state"] != "cancelled"
