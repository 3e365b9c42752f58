# bash completion for mero-consent. Made by “mero-consent completions bash”.

_mero_consent_values() {
  # What may follow an option; 1 where the word is no option with a value.
  case "$1" in
    "session add")
      case "$2" in
        --node) echo "" ;;
        --package) echo "" ;;
        --account) echo "" ;;
        --token-file) echo "@file" ;;
        --refresh-token-file) echo "@file" ;;
        --return-to) echo "" ;;
        --origin) echo "" ;;
        --transport-key) echo "" ;;
        --release) echo "@file" ;;
        --profile) echo "" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "session list")
      case "$2" in
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "session renew")
      case "$2" in
        --token-file) echo "@file" ;;
        --refresh-token-file) echo "@file" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "session remove")
      case "$2" in
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request createOrg"|"request create-org")
      case "$2" in
        --name) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request createInvite"|"request create-invite")
      case "$2" in
        --org) echo "" ;;
        --role) echo "" ;;
        --team|--teams) echo "" ;;
        --ttl-secs|--ttlSecs) echo "" ;;
        --uses) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -o|--output) echo "@file" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request acceptInvite"|"request accept-invite")
      case "$2" in
        --token-file) echo "@file" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request renameOrg"|"request rename-org")
      case "$2" in
        --org) echo "" ;;
        --name) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request deleteOrg"|"request delete-org")
      case "$2" in
        --org) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request leaveOrg"|"request leave-org")
      case "$2" in
        --org) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request removeMember"|"request remove-member")
      case "$2" in
        --org) echo "" ;;
        --account) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request setMemberRole"|"request set-member-role")
      case "$2" in
        --org) echo "" ;;
        --account) echo "" ;;
        --role) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request setMemberTeams"|"request set-member-teams")
      case "$2" in
        --org) echo "" ;;
        --account) echo "" ;;
        --team|--teams) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request removeMemberTeams"|"request remove-member-teams")
      case "$2" in
        --org) echo "" ;;
        --account) echo "" ;;
        --team|--teams) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request revokeInvite"|"request revoke-invite")
      case "$2" in
        --org) echo "" ;;
        --invite-key|--inviteKey) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request setCapabilities"|"request set-capabilities")
      case "$2" in
        --org) echo "" ;;
        --account) echo "" ;;
        --team) echo "" ;;
        --capabilities) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request setAllApps"|"request set-all-apps")
      case "$2" in
        --org) echo "" ;;
        --account) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request release")
      case "$2" in
        --tag) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request upgrade")
      case "$2" in
        --instance) echo "" ;;
        --version) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "request outbound")
      case "$2" in
        --instance) echo "" ;;
        --host|--hosts) echo "" ;;
        --return-to|--returnTo) echo "" ;;
        --timeout) echo "" ;;
        --idempotency-key) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "wait")
      case "$2" in
        --timeout) echo "" ;;
        -o|--output) echo "@file" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "result")
      case "$2" in
        -o|--output) echo "@file" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "open")
      case "$2" in
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "list")
      case "$2" in
        --state) echo "starting started approved declined replaced expired cancelled failed" ;;
        --limit) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "watch")
      case "$2" in
        --after) echo "" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "cancel")
      case "$2" in
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "return")
      case "$2" in
        --request) echo "" ;;
        -o|--output) echo "@file" ;;
        -s|--session) echo "@session" ;;
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "handle")
      case "$2" in
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "register-scheme")
      case "$2" in
        *) return 1 ;;
      esac ;;
    "unregister-scheme")
      case "$2" in
        *) return 1 ;;
      esac ;;
    "node trust")
      case "$2" in
        --release) echo "@file" ;;
        --profile) echo "" ;;
        --name) echo "" ;;
        --allow-tcb) echo "UpToDate SWHardeningNeeded ConfigurationNeeded ConfigurationAndSWHardeningNeeded OutOfDate OutOfDateConfigurationNeeded TDRelaunchAdvised TDRelaunchAdvisedConfigurationNeeded" ;;
        *) return 1 ;;
      esac ;;
    "node probe")
      case "$2" in
        --release) echo "@file" ;;
        --profile) echo "" ;;
        --allow-tcb) echo "UpToDate SWHardeningNeeded ConfigurationNeeded ConfigurationAndSWHardeningNeeded OutOfDate OutOfDateConfigurationNeeded TDRelaunchAdvised TDRelaunchAdvisedConfigurationNeeded" ;;
        --transport-key) echo "" ;;
        *) return 1 ;;
      esac ;;
    "quote verify")
      case "$2" in
        --collateral) echo "@file" ;;
        --at) echo "" ;;
        *) return 1 ;;
      esac ;;
    "status")
      case "$2" in
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "doctor")
      case "$2" in
        --socket) echo "@file" ;;
        *) return 1 ;;
      esac ;;
    "completions")
      case "$2" in
        *) return 1 ;;
      esac ;;
    "help")
      case "$2" in
        *) return 1 ;;
      esac ;;
    "")
      case "$2" in
        --socket) echo "@file" ;;
        -s|--session) echo "@session" ;;
        *) return 1 ;;
      esac ;;
    *) return 1 ;;
  esac
}

_mero_consent() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local path= word skip= operands=0 index kind=
  COMPREPLY=()
  # Bash takes “--option=value” apart.
  if [[ $current == = ]]; then current=; fi
  if [[ $previous == = && COMP_CWORD -gt 1 ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    if [[ $word == = ]]; then skip=1; continue; fi
    if [[ -n $skip ]]; then skip=; continue; fi
    case "$word" in
      --account|--after|--allow-tcb|--at|--capabilities|--collateral|--host|--hosts|--idempotency-key|--instance|--invite-key|--inviteKey|--limit|--name|--node|--org|--origin|--output|--package|--profile|--refresh-token-file|--release|--request|--return-to|--returnTo|--role|--session|--socket|--state|--tag|--team|--teams|--timeout|--token-file|--transport-key|--ttl-secs|--ttlSecs|--uses|-o|-s) skip=1 ;;
      -*) ;;
      *)
        case "$path" in
          "") path=$word ;;
          "session"|"request"|"node"|"quote") path="$path $word" ;;
          *) operands=$((operands + 1)) ;;
        esac ;;
    esac
  done
  if [[ $previous == -* ]] && kind=$(_mero_consent_values "$path" "$previous"); then
    case "$kind" in
      @file) compopt -o default 2>/dev/null ;;
      @directory) compopt -o dirnames 2>/dev/null ;;
      @session)
        COMPREPLY=($(compgen -W "$(mero-consent completions sessions 2>/dev/null)" -- "$current")) ;;
      *) COMPREPLY=($(compgen -W "$kind" -- "$current")) ;;
    esac
    return
  fi
  case "$path" in
    "") word="session request wait result open list watch cancel return handle register-scheme unregister-scheme node quote status doctor completions help --json -h --help --version --socket -s --session" ;;
    "session") word="add list renew remove --help" ;;
    "request") word="createOrg createInvite acceptInvite renameOrg deleteOrg leaveOrg removeMember setMemberRole setMemberTeams removeMemberTeams revokeInvite setCapabilities setAllApps release upgrade outbound --help" ;;
    "node") word="trust probe --help" ;;
    "quote") word="verify --help" ;;
    "session add")
      word="--node --package --account --token-file --refresh-token-file --return-to --origin --transport-key --release --profile --trusted-releases --development --socket --json -h --help" ;;
    "session list")
      word="--socket --json -h --help" ;;
    "session renew")
      word="--token-file --refresh-token-file --socket --json -h --help"
      [[ $operands == 0 && $current != -* ]] && word="$(mero-consent completions sessions 2>/dev/null) $word" ;;
    "session remove")
      word="--socket --json -h --help"
      [[ $operands == 0 && $current != -* ]] && word="$(mero-consent completions sessions 2>/dev/null) $word" ;;
    "request createOrg"|"request create-org")
      word="--name --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request createInvite"|"request create-invite")
      word="--org --role --team --ttl-secs --uses --all-apps --no-all-apps --return-to --open --no-open --no-wait --timeout --idempotency-key --show-secret -o --output -s --session --socket --json -h --help" ;;
    "request acceptInvite"|"request accept-invite")
      word="--token-file --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request renameOrg"|"request rename-org")
      word="--org --name --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request deleteOrg"|"request delete-org")
      word="--org --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request leaveOrg"|"request leave-org")
      word="--org --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request removeMember"|"request remove-member")
      word="--org --account --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request setMemberRole"|"request set-member-role")
      word="--org --account --role --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request setMemberTeams"|"request set-member-teams")
      word="--org --account --team --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request removeMemberTeams"|"request remove-member-teams")
      word="--org --account --team --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request revokeInvite"|"request revoke-invite")
      word="--org --invite-key --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request setCapabilities"|"request set-capabilities")
      word="--org --account --team --capabilities --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request setAllApps"|"request set-all-apps")
      word="--org --account --all-apps --no-all-apps --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request release")
      word="--tag --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request upgrade")
      word="--instance --version --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "request outbound")
      word="--instance --host --return-to --open --no-open --no-wait --timeout --idempotency-key -s --session --socket --json -h --help" ;;
    "wait")
      word="--timeout --show-secret -o --output -s --session --socket --json -h --help" ;;
    "result")
      word="--show-secret -o --output -s --session --socket --json -h --help" ;;
    "open")
      word="-s --session --socket --json -h --help" ;;
    "list")
      word="--state --limit -s --session --socket --json -h --help" ;;
    "watch")
      word="--after -s --session --socket --json -h --help" ;;
    "cancel")
      word="-s --session --socket --json -h --help" ;;
    "return")
      word="--request --show-secret -o --output -s --session --socket --json -h --help" ;;
    "handle")
      word="--socket --json -h --help" ;;
    "register-scheme")
      word="--json -h --help" ;;
    "unregister-scheme")
      word="--json -h --help" ;;
    "node trust")
      word="--release --profile --name --allow-tcb --print --json -h --help" ;;
    "node probe")
      word="--release --profile --allow-tcb --transport-key --development --json -h --help" ;;
    "quote verify")
      word="--collateral --at --json -h --help"
      [[ $operands == 0 && $current != -* ]] && compopt -o default 2>/dev/null ;;
    "status")
      word="--socket --json -h --help" ;;
    "doctor")
      word="--socket --json -h --help" ;;
    "completions")
      word="--json -h --help"
      [[ $operands == 0 && $current != -* ]] && word="bash zsh fish $word" ;;
    "help")
      word="--json -h --help"
      [[ $operands == 0 && $current != -* ]] && word="session request wait result open list watch cancel return handle register-scheme unregister-scheme node quote status doctor completions help $word" ;;
    *) word= ;;
  esac
  COMPREPLY=($(compgen -W "$word" -- "$current"))
}

complete -F _mero_consent mero-consent
