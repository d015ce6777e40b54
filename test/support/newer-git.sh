#!/usr/bin/env bash
# newer-git.sh FOLDER SUITE...: puts the git of the first of these Debian suites that can be had
# into FOLDER, with the C library it was built for, and prints the directory to put first on PATH.
# Nothing is installed but patchelf; the system's own git is not touched.
set -euo pipefail

folder=${1:?folder}
shift
if [ -x "$folder/usr/bin/git" ]; then
  echo "$folder/usr/bin"
  exit 0
fi

fetch() {
  local suite=$1 to=$2 work=$3
  mkdir -p "$work/lists/partial" "$work/archives/partial" "$to"
  awk -v suite="$suite" 'BEGIN { RS = ""; ORS = "\n\n" } !/security/ { sub(/Suites:[^\n]*/, "Suites: " suite); print }' \
    /etc/apt/sources.list.d/debian.sources >"$work/debian.sources"
  local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/debian.sources" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" -o APT::Sandbox::User=root)
  "${apt[@]}" update >/dev/null
  (
    cd "$work"
    "${apt[@]}" download git libc6 libpcre2-8-0 zlib1g >/dev/null
    for deb in *.deb; do dpkg-deb -x "$deb" "$to"; done
  )
}

# The programs are told to use the loader and the libraries that came with them.
relink() {
  local root=$1 loader libraries program
  loader=$(find "$root" -type f -name 'ld-linux*.so.*' | head -n 1)
  libraries=$(dirname "$loader")
  find "$root/usr/bin" "$root/usr/lib/git-core" -type f -perm -u+x | while read -r program; do
    if [ "$(head -c 4 "$program" | tail -c 3)" = ELF ]; then
      patchelf --set-interpreter "$loader" --set-rpath "$libraries:$root/usr/lib/$(uname -m)-linux-gnu" "$program"
    fi
  done
  mv "$root/usr/bin/git" "$root/usr/bin/git.bin"
  cat >"$root/usr/bin/git" <<EOF
#!/bin/sh
GIT_EXEC_PATH=$root/usr/lib/git-core GIT_TEMPLATE_DIR=$root/usr/share/git-core/templates exec $root/usr/bin/git.bin "\$@"
EOF
  chmod 755 "$root/usr/bin/git"
}

command -v patchelf >/dev/null || { apt-get update -qq; apt-get install -y -qq patchelf; } >/dev/null
for suite in "$@"; do
  draft=$(mktemp -d)
  work=$(mktemp -d)
  if fetch "$suite" "$draft" "$work" >&2; then
    rm -rf "$work" "$folder"
    mkdir -p "$(dirname "$folder")"
    mv "$draft" "$folder"
    chmod 755 "$folder"
    relink "$(cd "$folder" && pwd)"
    "$folder/usr/bin/git" --version >&2
    echo "$folder/usr/bin"
    exit 0
  fi
  rm -rf "$draft" "$work"
done
echo "none of these suites has a git that can be had: $*" >&2
exit 1
