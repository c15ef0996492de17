#!/bin/bash
# Runs the servers of a cluster. It must be the first process of namespaces of its own for processes and mounts, so that the
# servers end with it, and what they mount goes with them.
#
#   servers.sh DIRECTORY SERVERS NUMBER PORT NODE
#
# DIRECTORY has the credentials and gets everything else. SERVERS has what build.sh makes. NUMBER is part of the names that
# the cluster has on the machine. Of the four ports from PORT, the API server has the first.

set -euo pipefail

directory=$1
servers=$2
number=$3
port=$4
node=$5
credentials=$directory/credentials

# ---- The machine as the servers see it ----------------------------------------------------------

mount -t tmpfs tmpfs /run
# They write to fixed paths below these.
mkdir "$directory"/{lib,log,logs}
mount --bind "$directory/log" /var/log
mount --bind "$directory" /mnt
mount --bind "$directory/lib" /var/lib
mkdir --parents "$directory"
mount --move /mnt "$directory"

# The kubelet sets these for the whole machine unless they have its values already. So it sees files that have them.
mkdir "$directory/kernel"
while read -r name value; do
  echo "$value" >"$directory/kernel/$name"
  mount --bind "$directory/kernel/$name" "/proc/sys/${name//./\/}"
done <<'VALUES'
vm.overcommit_memory 1
vm.panic_on_oom 0
kernel.panic 10
kernel.panic_on_oops 1
kernel.keys.root_maxkeys 1000000
kernel.keys.root_maxbytes 25000000
VALUES

# ---- Settings -----------------------------------------------------------------------------------

# A bridge without an address of its own: pods reach nothing outside of it.
mkdir "$directory/network"
cat >"$directory/network/10-pods.conflist" <<JSON
{
  "cniVersion": "0.4.0",
  "name": "pods",
  "plugins": [{
    "type": "bridge", "bridge": "ptc-test$number", "isGateway": false, "ipMasq": false,
    "ipam": { "type": "host-local", "subnet": "10.244.0.0/16" }
  }]
}
JSON

cat >"$directory/containerd.toml" <<TOML
version = 2
root = "$directory/containerd"
state = "/run/containerd"
# This one would load a module of the kernel.
disabled_plugins = ["io.containerd.snapshotter.v1.aufs"]
[grpc]
  address = "$directory/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$directory/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/library/sandboxed-ptc-pause:test"
  # Where the machine is itself a container, neither can be set.
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$servers/cni"
    conf_dir = "$directory/network"
TOML

cat >"$directory/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 127.0.0.1
port: $((port + 3))
readOnlyPort: 0
healthzPort: 0
tlsCertFile: $credentials/server.crt
tlsPrivateKeyFile: $credentials/server.key
authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: $credentials/ca.crt } }
authorization: { mode: Webhook }
cgroupDriver: cgroupfs
cgroupRoot: /sandboxed-ptc-test-cluster-$number
failSwapOn: false
protectKernelDefaults: true
makeIPTablesUtilChains: false
resolvConf: ""
# Without it, the size of a volume in memory is not limited. Newer versions have it by default.
featureGates: { SizeMemoryBackedVolumes: true }
podPidsLimit: 256
# Otherwise it says only five times a second what has become of its pods.
kubeAPIQPS: 200
kubeAPIBurst: 300
maxPods: 200
# Otherwise it says up to ten seconds late that it takes pods.
nodeStatusUpdateFrequency: 1s
nodeStatusReportFrequency: 5m
# Only a full disk or memory may end pods: how much of the disk is free is not known.
evictionHard: { memory.available: 100Mi, nodefs.available: "1%", imagefs.available: "1%", nodefs.inodesFree: "1%" }
imageGCHighThresholdPercent: 100
YAML

# ---- The servers --------------------------------------------------------------------------------

# They have memory, and the machine has few processors: so they collect garbage less often.
export GOGC=300

# As on other machines, a server that has ended is started again. It also ends if what it needs is not there yet.
launch() { # NAME COMMAND…
  local log=$directory/logs/$1.log
  shift
  while :; do
    "$@" >>"$log" 2>&1 </dev/null || true
    sleep 0.5
  done &
}

etcd=https://127.0.0.1:$((port + 1))
etcd_peer=https://127.0.0.1:$((port + 2))

launch etcd "$servers/bin/etcd" --data-dir "$directory/etcd" \
  --listen-client-urls "$etcd" --advertise-client-urls "$etcd" \
  --listen-peer-urls "$etcd_peer" --initial-advertise-peer-urls "$etcd_peer" --initial-cluster "default=$etcd_peer" \
  --{,peer-}{cert-file,trusted-ca-file}="$credentials/etcd.crt" --{,peer-}key-file="$credentials/etcd.key" \
  --{,peer-}client-cert-auth --unsafe-no-fsync

launch kube-apiserver "$servers/bin/kube-apiserver" \
  --bind-address=127.0.0.1 --secure-port="$port" --insecure-port=0 --endpoint-reconciler-type=none \
  --etcd-servers="$etcd" --etcd-cafile="$credentials/etcd.crt" \
  --etcd-certfile="$credentials/etcd.crt" --etcd-keyfile="$credentials/etcd.key" \
  --tls-cert-file="$credentials/server.crt" --tls-private-key-file="$credentials/server.key" \
  --client-ca-file="$credentials/ca.crt" --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
  --kubelet-certificate-authority="$credentials/ca.crt" --kubelet-preferred-address-types=InternalIP \
  --kubelet-client-certificate="$credentials/admin.crt" --kubelet-client-key="$credentials/admin.key" \
  --service-account-key-file="$credentials/service-accounts.key" \
  --service-account-signing-key-file="$credentials/service-accounts.key" \
  --service-account-issuer=https://kubernetes.default.svc --service-cluster-ip-range=10.96.0.0/16

launch kube-scheduler "$servers/bin/kube-scheduler" --kubeconfig="$credentials/scheduler.kubeconfig" \
  --port=0 --secure-port=0 --leader-elect=false

# A node that gets no processor time for a while is not a lost one, on which no pod may start.
launch kube-controller-manager "$servers/bin/kube-controller-manager" --kubeconfig="$credentials/controllers.kubeconfig" \
  --port=0 --secure-port=0 --leader-elect=false --controllers='*,-nodeipam,-route,-cloud-node-lifecycle' \
  --use-service-account-credentials --service-account-private-key-file="$credentials/service-accounts.key" \
  --node-monitor-grace-period=10m \
  --root-ca-file="$credentials/ca.crt" --kube-api-qps=200 --kube-api-burst=300 \
  --flex-volume-plugin-dir="$directory/volume-plugins"

launch containerd containerd --config "$directory/containerd.toml"

launch kubelet "$servers/bin/kubelet" --config="$directory/kubelet.yaml" --kubeconfig="$credentials/node.kubeconfig" \
  --hostname-override="$node" --container-runtime=remote \
  --container-runtime-endpoint="unix://$directory/containerd.sock" --volume-plugin-dir="$directory/volume-plugins"

wait
