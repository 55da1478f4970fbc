#!/bin/sh
# netperfs.sh N netperf's options, with -- among them: N netperf processes at once, and the sum of
# their throughputs. It stands for the scripts that people put around netperf.
number=$1
shift
{
    i=0
    while [ "$i" -lt "$number" ]; do
        netperf -P 0 "$@" -k THROUGHPUT &
        i=$((i + 1))
    done
    wait
} | awk -F= '{ sum += $2 } END { print sum }'
