"""A key for generated calls: a session is opened when there is none, or when a call closed it."""

import json
import os

import requests
import schemathesis

if os.environ["MERO_KEYED"]:

    @schemathesis.auth(retry_on=[401])
    class SessionKey:
        def get(self, case, context):
            with open(os.environ["MERO_OPENING"]) as file:
                body = json.load(file)
            answer = requests.post(os.environ["MERO_URL"] + "/v1/sessions", json=body, timeout=20)
            return answer.json()["key"]

        def set(self, case, data, context):
            case.headers["Authorization"] = f"Bearer {data}"
