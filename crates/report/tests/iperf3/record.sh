#!/bin/sh
# Records what iperf3 prints at both ends of each command of README.md. Loopback, a few seconds each.
set -e
grep '^| `' README.md | sed 's/^| `\([^`]*\)` | `\([^`]*\)` .*/\1|\2/' | while IFS='|' read -r name words; do
    for form in txt json; do
        extra=; [ $form = json ] && extra=-J
        v=; case "$words" in *-V*) v=-V;; esac
        iperf3 -s -1 -p 15401 $extra $v > "$name.server.$form" &
        sleep 0.3
        iperf3 -c 127.0.0.1 -p 15401 $extra $words > "$name.client.$form"
        wait $!
    done
done
