#!/usr/bin/env bash
# An S3 server on loopback from Debian's Ceph: one monitor, one store in memory, one gateway. No root, no systemd.
# usage: s3-up.sh FOLDER PORT MONITOR_PORT ACCESS_KEY SECRET_KEY OWNER
# FOLDER is made and has a short name (a Unix socket in it may have 107 bytes). Prints "ready", or what went wrong; then waits until the
# process OWNER is gone or it is told to end, and leaves nothing behind.
set -euo pipefail
folder=$1 port=$2 monitor=$3 access=$4 secret=$5 owner=$6

end() {
  # The data is thrown away, so SIGKILL: radosgw hangs on SIGTERM once its store is gone.
  for file in "$folder"/run/*.pid; do
    [ -f "$file" ] && kill -9 "$(cat "$file")" 2>/dev/null
  done
  rm -rf "$folder"
}
trap end EXIT
trap 'exit 1' INT TERM HUP

mkdir -p "$folder"/{mon,osd,rgw,log,run}
cd "$folder"
cat >ceph.conf <<C
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = [v2:127.0.0.1:$monitor]
public addr = 127.0.0.1
ms bind msgr1 = false
keyring = $folder/keyring
auth allow insecure global id reclaim = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon max pg per osd = 5000
osd crush chooseleaf type = 0
paxos propose interval = 0.01
paxos min wait = 0.01
run dir = $folder/run
admin socket = $folder/run/\$name.\$pid.asok
log file = $folder/log/\$name.log
pid file = $folder/run/\$name.pid
mon data avail warn = 1
mon data avail crit = 1
[mon.a]
mon data = $folder/mon
[osd.0]
osd data = $folder/osd
osd objectstore = memstore
memstore device bytes = 2147483648
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$port
rgw data = $folder/rgw
rgw run sync thread = false
C
export CEPH_ARGS="-c $folder/ceph.conf"
exec 3>&1 >log/start.log 2>&1
trap 'cat log/start.log >&3' ERR

ceph-authtool --create-keyring keyring --gen-key -n mon. --cap mon 'allow *'
ceph-authtool keyring --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *'
ceph-authtool keyring --gen-key -n osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
ceph-authtool keyring --gen-key -n client.rgw --cap mon 'allow rwx' --cap osd 'allow rwx'
monmaptool --create --fsid "$(sed -n 's/^fsid = //p' ceph.conf)" --addv a "[v2:127.0.0.1:$monitor]" monmap
ceph-mon --mkfs -i a --monmap monmap --keyring keyring
ceph-mon -i a 3>&-
osd=$(cat /proc/sys/kernel/random/uuid)
ceph osd new "$osd"
ceph-osd -i 0 --mkfs --osd-uuid "$osd"
ceph-osd -i 0 3>&-
for _ in $(seq 100); do ceph osd stat | grep -q '1 up' && break || sleep 0.1; done
radosgw -n client.rgw 3>&-
answers() { (exec 4<>"/dev/tcp/127.0.0.1/$port" && printf 'GET / HTTP/1.0\r\n\r\n' >&4 && grep -q ListAllMyBuckets <&4) 2>/dev/null; }
for _ in $(seq 300); do answers && break || sleep 0.1; done
answers
radosgw-admin -n client.rgw user create --uid test --display-name test --access-key "$access" --secret-key "$secret"

trap - ERR
echo ready >&3
exec 3>&-
while kill -0 "$owner" 2>/dev/null; do sleep 0.5; done
