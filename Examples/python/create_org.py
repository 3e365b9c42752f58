#!/usr/bin/env python3
"""Creates an organization: `create_org.py SESSION.json NAME`.

SESSION.json is the body of `POST /v1/sessions`: the app's package, its node and its tokens.
"""

import json
import sys

from mero_consent import ConsentError, Consentd


def main(session_file, name):
    try:
        with open(session_file, encoding="utf-8") as file:
            session = json.load(file)
    except (OSError, ValueError) as error:
        return f"{session_file} cannot be read: {error}"
    consentd = Consentd.open(session)
    request = consentd.start("createOrg", name=name)
    print("Compare this code with the one on the page:", request["code"], flush=True)
    try:
        consentd.open_page(request)
    except ConsentError as error:
        # The request waits all the same. (This code's sentence is the line below.)
        if error.code != "BROWSER_UNAVAILABLE":
            print(error, flush=True)
        print("Open this page:", request["url"], flush=True)
    request = consentd.wait(request)
    if request["state"] != "approved":
        return f"Not created: {request['state']}"
    print("Created:", request["outcome"]["orgId"])
    return None


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        sys.exit(main(sys.argv[1], sys.argv[2]))
    except ConsentError as error:
        sys.exit(str(error))
