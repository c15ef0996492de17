#!/bin/bash
# Builds the servers of a Kubernetes cluster from Debian's source package, and takes the rest from Debian's packages.
#
#   build.sh DIRECTORY RESULT
#
# DIRECTORY is for everything that the build needs; its caller removes it. RESULT is the directory that it makes: the
# programs in `bin`, the network plugins in `cni`, and the image `pause.tar`. Nothing is installed.

set -euo pipefail

directory=$1
result=$2
scripts=$(dirname "$(realpath "$0")")

# Debian 12 has no packages of the servers, but the source package is the whole tree.
kubernetes=1.20.5+really1.20.2
packages=(
  golang-1.19-go golang-1.19-src
  etcd-server containernetworking-plugins
  golang-github-modern-go-reflect2-dev
)
servers=(kube-apiserver kube-controller-manager kube-scheduler kubelet)
plugins=(bridge host-local loopback)

say() { echo "test-cluster: $*" >&2; }
fail() { say "$*"; exit 1; }

# ---- What it is built from --------------------------------------------------------------------

sources=$directory/apt/sources.list
# Machines have no `deb-src` lines, and theirs stay as they are: these lists and downloads are kept apart.
apt=(
  -o "Dir::Etc::sourcelist=$sources" -o Dir::Etc::sourceparts=-
  -o "Dir::State::lists=$directory/apt/lists" -o "Dir::Cache=$directory/apt/cache"
  # The directory is only for root, and apt-get would warn that its own user cannot write there.
  -o APT::Sandbox::User=root
)

fetch() {
  mkdir -p "$directory/apt/lists/partial" "$directory/apt/cache/archives/partial"
  # Where this machine gets Debian itself from.
  local line='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(CODENAME) $(COMPONENT)'
  apt-get indextargets --format "deb $line" 'Origin: Debian' 'Created-By: Packages' 'Component: main' >"$sources"
  [[ -s $sources ]] || fail 'apt has no Debian sources here; run apt-get update.'
  sed --in-place '/^deb /{p;s/^deb/deb-src/}' "$sources"
  "$scripts/../apt-get.sh" "${apt[@]}" update
  cd "$directory"
  "$scripts/../apt-get.sh" "${apt[@]}" download "${packages[@]}"
  local package
  for package in *.deb; do dpkg-deb --extract "$package" root; done
  "$scripts/../apt-get.sh" "${apt[@]}" source kubernetes
  [[ -d kubernetes-$kubernetes ]] ||
    fail "apt has no source package of kubernetes $kubernetes, only: $(echo kubernetes-*/). Debian 12 has it."
}

# ---- The build --------------------------------------------------------------------------------

tree=$directory/go/src/k8s.io/kubernetes

prepare_tree() {
  mkdir -p "${tree%/*}"
  mv "$directory/kubernetes-$kubernetes" "$tree"
  # The API server crashes with the vendored version, which is older than this compiler.
  local vendored=$tree/vendor/github.com/modern-go/reflect2
  rm "$vendored"/*.go
  cp "$directory"/root/usr/share/gocode/src/github.com/modern-go/reflect2/*.go "$vendored"
}

# All generated code is in the source package, except this. What `make` would do, without its search for what has changed.
generate_openapi() {
  local tagged=$directory/tagged
  # Names as the compiler has them: what is in `staging` is vendored.
  grep --recursive --files-with-matches --include='*.go' '^// *+k8s:openapi-gen=' pkg cmd staging/src |
    sed 's|^staging/src|vendor|; s|/[^/]*$||; s|^|k8s.io/kubernetes/|' |
    grep --invert-match --extended-regexp '/vendor/k8s.io/(code-generator|sample-apiserver)/' |
    sort --unique >"$tagged"
  go run ./vendor/k8s.io/kube-openapi/cmd/openapi-gen \
    --input-dirs "$(paste --serial --delimiters=, "$tagged")" \
    --output-package k8s.io/kubernetes/pkg/generated/openapi --output-file-base zz_generated.openapi \
    --go-header-file hack/boilerplate/boilerplate.generatego.txt --report-filename "$directory/violations"
}

build() {
  cd "$tree"
  mkdir "$directory/temporary"
  export GOROOT=$directory/root/usr/lib/go-1.19 GOPATH=$directory/go GOCACHE=$directory/go-cache TMPDIR=$directory/temporary
  export PATH=$GOROOT/bin:$PATH GOENV=off GO111MODULE=off CGO_ENABLED=0 GOMAXPROCS=2 GOFLAGS=-p=2
  generate_openapi
  local version=k8s.io/kubernetes/vendor/k8s.io/component-base/version
  go build -tags providerless,dockerless -o "$directory/built/" \
    -ldflags "-s -w -X $version.gitVersion=v1.20.2 -X $version.gitMajor=1 -X $version.gitMinor=20" \
    "${servers[@]/#/./cmd/}"
  build_pause
}

# The process that holds a pod's namespaces, as an image such as `docker save` writes.
build_pause() {
  local image=$directory/pause
  mkdir -p "$image/root"
  cat >"$image/main.go" <<'GO'
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGINT, syscall.SIGTERM)
	<-end
}
GO
  go build -ldflags '-s -w' -o "$image/root/pause" "$image/main.go"
  cd "$image"
  tar --create --file layer.tar --owner=0 --group=0 --directory root pause
  local layer architecture
  layer=$(sha256sum layer.tar | cut --delimiter=' ' --fields=1)
  architecture=$(go env GOARCH)
  cat >config.json <<JSON
{
  "architecture": "$architecture", "os": "linux", "config": { "Entrypoint": ["/pause"] },
  "rootfs": { "type": "layers", "diff_ids": ["sha256:$layer"] }
}
JSON
  echo '[{ "Config": "config.json", "RepoTags": ["sandboxed-ptc-pause:test"], "Layers": ["layer.tar"] }]' >manifest.json
  tar --create --file "$directory/pause.tar" manifest.json config.json layer.tar
}

collect() {
  mkdir -p "$result/bin" "$result/cni"
  cp "$directory/pause.tar" "$result"
  cp "${servers[@]/#/$directory/built/}" "$directory/root/usr/bin/etcd" "$result/bin"
  cp "${plugins[@]/#/$directory/root/usr/lib/cni/}" "$result/cni"
}

fetch
prepare_tree
build
collect
