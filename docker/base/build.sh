#!/usr/bin/env bash
# Builds the base images of docker/Dockerfile on a machine without access to an image registry, from Debian packages
# (debootstrap) and the Node package of the npm registry. Needs root, buildah, debootstrap and npm.
#
#   localhost/dtplatform/debian:bookworm plain Debian
#   localhost/dtplatform/node-build:24   the same with Node and npm
#   localhost/dtplatform/node:24         Node, the C and C++ libraries, certificates and time zones: no shell
#
# With the argument amd64 or arm64, builds only localhost/dtplatform/node:24-ARGUMENT, the last one for that processor.
#
# DEBIAN_MIRROR selects a mirror. Set BUILDAH_ISOLATION=chroot on a machine without user namespaces.
set -euo pipefail

suite=bookworm
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
architecture=${1:-$(dpkg --print-architecture)}
node_package=node-linux-${architecture/amd64/x64}@24
npm_package=npm@11.19.1
runtime_packages=(base-files netbase libc6 libgcc-s1 libstdc++6 tzdata ca-certificates)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debian=$work/debian
runtime=$work/runtime

unpack() { # npm package, folder
  local archive
  archive=$(npm pack --silent --pack-destination "$work" "$1" | tail -n 1)
  mkdir -p "$2" && tar -xzf "$work/$archive" -C "$2" --strip-components=1
}

commit() { # folder, image, additional settings
  local container
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$1" / >/dev/null
  buildah config --arch "$architecture" --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin "${@:3}" "$container"
  buildah commit --quiet --rm "$container" "$2" >/dev/null
  echo "$2"
}

debootstrap --arch="$architecture" ${1:+--download-only} --variant=minbase --include=ca-certificates,tzdata,libstdc++6,netbase \
  "$suite" "$debian" "$mirror" >"$work/log" || { cat "$work/log"; exit 1; }
unpack "$node_package" "$work/node"

# Only the packages that Node needs, unpacked without running anything of them, and the certificates as one file.
mkdir -p "$runtime"/usr/{bin,lib,lib64,sbin} "$runtime"/{etc/ssl/certs,proc,sys,dev,app} && mkdir -m 1777 "$runtime/tmp"
for folder in bin lib lib64 sbin; do ln -s "usr/$folder" "$runtime/$folder"; done
for package in "${runtime_packages[@]}"; do
  dpkg-deb --fsys-tarfile "$debian/var/cache/apt/archives/${package}"_*.deb | tar -x --keep-directory-symlink -C "$runtime"
done
rm -rf "$runtime"/usr/share/{doc,man,locale}/*
cat "$runtime"/usr/share/ca-certificates/mozilla/*.crt >"$runtime/etc/ssl/certs/ca-certificates.crt"
printf 'root:x:0:0:root:/:/sbin/nologin\nnode:x:10001:10001:node:/tmp:/sbin/nologin\n' >"$runtime/etc/passwd"
printf 'root:x:0:\nnode:x:10001:\n' >"$runtime/etc/group"
printf 'hosts: files dns\n' >"$runtime/etc/nsswitch.conf"
install -m 755 "$work/node/bin/node" "$runtime/usr/bin/node"
node "$(dirname "$0")/../check-architecture.mjs" "$architecture" "$runtime"
commit "$runtime" "localhost/dtplatform/node:24${1:+-$1}"
if [ $# -gt 0 ]; then exit; fi

rm -rf "$debian"/var/cache/apt/archives/*.deb "$debian"/var/lib/apt/lists/* "$debian"/usr/share/{doc,man,locale}/*
commit "$debian" localhost/dtplatform/debian:bookworm

install -m 755 "$work/node/bin/node" "$debian/usr/local/bin/node"
unpack "$npm_package" "$debian/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$debian/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$debian/usr/local/bin/npx"
# Trusts the same certificate authorities as this machine, for registries behind a company proxy.
cp /etc/ssl/certs/ca-certificates.crt "$debian/etc/ssl/certs/ca-certificates.crt"
commit "$debian" localhost/dtplatform/node-build:24 --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
