#!/bin/sh
# Fetches the agent programs that test/agents runs from the npm registry, in the versions that stand
# in test/agents/*program*.ts, into <folder>/<name>; what is there already stays. Prints the folder.
# Nothing of a package is run: their install scripts are left out.
set -eu
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
sed -n "s/^  name: '\(.*\)',/name \1/p; s/^  package: '\(.*\)',/package \1/p" "$here"/../agents/*program*.ts |
  while read -r what value; do
    case $what in
      name) name=$value ;;
      package)
        mkdir -p "$folder/$name"
        [ "$(cat "$folder/$name/fetched" 2>/dev/null)" != "$value" ] || continue
        echo '{"private":true}' > "$folder/$name/package.json"
        npm install --prefix "$folder/$name" --ignore-scripts --omit=optional --no-audit --no-fund --force --silent "$value" >&2
        echo "$value" > "$folder/$name/fetched" ;;
    esac
  done
echo "$folder"
