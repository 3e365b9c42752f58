#!/bin/bash
# Creates an organization: create-org.sh SESSION.json NAME
#
# SESSION.json is the body of POST /v1/sessions: the app's package, its node and its tokens. The
# socket is that of the daemon; S names another one.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 64; }
[ -f "$1" ] && [ -r "$1" ] || { echo "$1 cannot be read" >&2; exit 66; }
socket=${S:-${XDG_RUNTIME_DIR:-/run/user/$(id -u)}/mero-consent/api.sock}
answer=$(mktemp -d)
trap 'rm -rf "$answer"' EXIT

# call METHOD PATH [curl's options]: the body is in $answer/body, the headers in $answer/head, why
# it failed in $answer/why. The key goes through a file descriptor: a command line can be read by
# every process of the machine. Returns 75 where a repeat may succeed.
key=
call() {
  local method=$1 path=$2 status
  shift 2
  if ! status=$(curl --silent --unix-socket "$socket" --request "$method" --max-time 90 \
    --output "$answer/body" --dump-header "$answer/head" --write-out '%{http_code}' \
    --config <(printf 'header = "Authorization: Bearer %s"\n' "$key") "$@" \
    "http://localhost$path"); then
    echo "DAEMON_UNAVAILABLE: no daemon answers on $socket. Install and start mero-consentd." \
      >"$answer/why"
    return 75
  fi
  [ "$status" -ge 400 ] || return 0
  jq -r '"\(.code): \(.detail)"' "$answer/body" >"$answer/why"
  case $(field code) in STOPPING | TOO_MANY) return 75 ;; *) return 1 ;; esac
}
field() { jq -r ".$1 // empty" "$answer/body"; }
header() { sed -n "s/^$1: *\([^\r]*\)\r*\$/\1/Ip" "$answer/head"; }
refused() {
  cat "$answer/why" >&2
  exit 1
}

call POST /v1/sessions --header 'Content-Type: application/json' --data "@$1" || refused
key=$(field key)

jq -n --arg name "$2" '{request: {kind: "createOrg", name: $name}}' >"$answer/request"
call POST /v1/requests --header 'Content-Type: application/json' \
  --data "@$answer/request" || refused
id=$(field requestId)
page=$(field url)
echo "Compare this code with the one on the page: $(field code)"
etag=$(header etag)
call POST "/v1/requests/$id/open" || {
  # The request waits all the same. (This code's sentence is the line below.)
  grep -q '^BROWSER_UNAVAILABLE:' "$answer/why" || cat "$answer/why" >&2
  echo "Open this page: $page"
}

# A daemon that ends, or starts again, is asked again for half a minute.
state=started silent=0
while [ "$state" = started ] || [ "$state" = starting ]; do
  status=0
  call GET "/v1/requests/$id" --header "If-None-Match: $etag" --header 'Prefer: wait=60' ||
    status=$?
  if [ "$status" = 75 ] && [ "$silent" -lt 30 ]; then
    silent=$((silent + 1))
    sleep 1
    continue
  fi
  [ "$status" = 0 ] || refused
  silent=0
  [ -s "$answer/body" ] || continue # 304: nothing has changed in this minute
  etag=$(header etag)
  state=$(field state)
  if [ "$state" = started ] && [ "$(field needsSession)" = true ]; then
    echo "SESSION_EXPIRED: the daemon needs new tokens (needsSession): PATCH /v1/session." \
      >"$answer/why"
    refused
  fi
done

if [ "$state" != approved ]; then
  echo "Not created: $state" >&2
  exit 1
fi
echo "Created: $(field outcome.orgId)"
