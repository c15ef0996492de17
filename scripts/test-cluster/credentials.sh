#!/bin/bash
# Makes the keys and certificates of a cluster, and the kubeconfigs of those that use its API server.
#
#   credentials.sh DIRECTORY API-SERVER NODE
#
# DIRECTORY gets them, API-SERVER is an address such as https://127.0.0.1:16443, NODE the name of the only node, which is an
# address too. All are made anew at each start, so that no key outlives its cluster.

set -euo pipefail

cd "$1"
api_server=$2
node=$3
umask 077

new_key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)

self_signed() { # NAME [EXTENSION]
  openssl req -x509 "${new_key[@]}" -keyout "$1.key" -out "$1.crt" -days 30 -subj "/CN=$1" ${2:+-addext "$2"}
}

signed() { # NAME SUBJECT EXTENSIONS
  openssl req "${new_key[@]}" -keyout "$1.key" -out "$1.csr" -subj "$2"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -out "$1.crt" -days 30 -extfile <(echo "$3")
  rm "$1.csr"
}

base64_of() { base64 --wrap=0 "$1"; }

user() { # NAME SUBJECT
  signed "$1" "$2" extendedKeyUsage=clientAuth
  cat >"$1.kubeconfig" <<YAML
apiVersion: v1
kind: Config
clusters: [{ name: test, cluster: { server: "$api_server", certificate-authority-data: $(base64_of ca.crt) } }]
users: [{ name: $1, user: { client-certificate-data: $(base64_of "$1.crt"), client-key-data: $(base64_of "$1.key") } }]
contexts: [{ name: test, context: { cluster: test, user: $1 } }]
current-context: test
YAML
}

# Certificates of the cluster do not open its data base: that has one of its own, which only the API server uses too.
self_signed etcd "subjectAltName=IP:127.0.0.1"
self_signed ca
signed server /CN=server "subjectAltName=DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.96.0.1"
openssl ecparam -name prime256v1 -genkey -noout -out service-accounts.key

user admin /O=system:masters/CN=admin
# In no group: it may do what a test's own roles let it.
user restricted /CN=restricted
user node "/O=system:nodes/CN=system:node:$node"
user scheduler /CN=system:kube-scheduler
user controllers /CN=system:kube-controller-manager
