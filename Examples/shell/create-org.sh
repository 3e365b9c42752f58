#!/bin/bash
# Creates an organization: create-org.sh SESSION.json NAME
#
# SESSION.json is the body of POST /v1/sessions: the app's package, its node and its tokens. The
# socket is that of the daemon; S names another one.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 64; }
socket=${S:-${XDG_RUNTIME_DIR:-/run/user/$(id -u)}/mero-consent/api.sock}
answer=$(mktemp -d)
trap 'rm -rf "$answer"' EXIT

# call METHOD PATH [curl's options]: the body is in $answer/body, the headers in $answer/head. The
# key goes through a file descriptor: a command line can be read by every process of the machine.
key=
call() {
  local method=$1 path=$2 status
  shift 2
  status=$(curl --silent --show-error --unix-socket "$socket" --request "$method" \
    --output "$answer/body" --dump-header "$answer/head" --write-out '%{http_code}' \
    --config <(printf 'header = "Authorization: Bearer %s"\n' "$key") "$@" \
    "http://localhost$path")
  if [ "$status" -ge 400 ]; then
    jq -r '"\(.code): \(.detail)"' "$answer/body" >&2
    return 1
  fi
}
field() { jq -r ".$1 // empty" "$answer/body"; }

call POST /v1/sessions --header 'Content-Type: application/json' --data "@$1"
key=$(field key)

jq -n --arg name "$2" '{request: {kind: "createOrg", name: $name}}' |
  call POST /v1/requests --header 'Content-Type: application/json' --data @-
id=$(field requestId)
page=$(field url)
echo "Compare this code with the one on the page: $(field code)"
etag=$(sed -n 's/^etag: *\([^\r]*\)\r*$/\1/Ip' "$answer/head")
call POST "/v1/requests/$id/open" || echo "Open this page: $page"

while :; do
  call GET "/v1/requests/$id" --header "If-None-Match: $etag" --header 'Prefer: wait=60'
  [ -s "$answer/body" ] || continue # 304: nothing has changed in this minute
  etag=$(sed -n 's/^etag: *\([^\r]*\)\r*$/\1/Ip' "$answer/head")
  state=$(field state)
  [ "$state" = started ] || break
done

if [ "$state" != approved ]; then
  echo "Not created: $state" >&2
  exit 1
fi
echo "Created: $(field outcome.orgId)"
