#!/bin/sh
# The names of Guile and Chez Scheme in one list: a call is judged by what either of them takes. A name of one alone has
# `1` or `2` after its arguments.
#
#     xtask/standard/scheme.sh > crates/syntax/src/operators/scheme.txt
cd "$(dirname "$0")" || exit 1
printf '# The names of Guile %s and Chez Scheme %s by xtask/standard/scheme.sh: name, kind (f, m), fewest and most arguments.\n' \
    "$(guile -c '(display (version))')" "$(scheme --version 2>&1)"
{ guile --no-auto-compile -s scheme-guile.scm; echo "# 2"; scheme --script scheme-chez.ss; } | awk '
    BEGIN { origin = 1 }
    $0 == "# 2" { origin = 2; next }
    $1 ~ /^[$%#]/ || $1 ~ /[ |"]/ { next }
    { if (!($1 in from)) from[$1] = origin; else if (from[$1] != origin) from[$1] = 3 }
    !($1 in kind) { kind[$1] = $2; fewest[$1] = $3; most[$1] = $4; next }
    {
        if ($2 == "m") kind[$1] = "m"
        if ($3 < fewest[$1]) fewest[$1] = $3
        if ($4 == "-" || most[$1] == "-") most[$1] = "-"
        else if ($4 + 0 > most[$1] + 0) most[$1] = $4
    }
    END { for (name in kind) print name, kind[name], kind[name] == "m" ? "0 -" : fewest[name] " " most[name],
                                 from[name] == 3 ? "" : from[name] }' | sed 's/ $//' | LC_ALL=C sort
