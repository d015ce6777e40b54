#!/bin/sh
# The tests of real agent programs: fetched from npm into a cache, and run where loopback is the
# only network that there is. What is said behind goes to vitest: npm run test:agents -- -t codex
set -eu
cd "$(dirname "$0")/../.."
COORD_TEST_AGENTS=$(sh test/support/agent-programs.sh "${COORD_TEST_AGENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/coord-test-agents}")
export COORD_TEST_AGENTS
case ${1-} in
  # What all of them have shown is kept for the reference.
  '') set -- test/agents --reporter=default --reporter=./test/agents/matrix-reporter.ts ;;
  -*) set -- test/agents "$@" ;;
esac
# Whoever is not root is root in a namespace of the user's own.
if [ "$(id -u)" = 0 ]; then alone='unshare -n'; else alone='unshare -rn'; fi
exec $alone sh -c 'PATH=$PATH:/usr/sbin:/sbin; ip link set lo up; exec npx vitest run --project long "$@"' sh "$@"
