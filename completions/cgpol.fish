# SPDX-License-Identifier: LGPL-2.1-or-later
# fish completion for cgpol: every name comes from the program itself.

function __cgpol_complete
    set -l tokens (commandline -opc)
    set -l cgpol $tokens[1]
    set -l current (commandline -ct)
    set -l previous $tokens[-1]
    set -l command ''
    set -l before ''
    for token in $tokens[2..-1]
        if not string match -q -- '-*' $token
            set -l taken '-'
            string match -q -- '-*' "$before"; and set taken ($cgpol __list values '' -- $before 2>/dev/null)
            if test "$taken" = '-'
                set command $token
                break
            end
        end
        set before $token
    end
    if test (count $tokens) -gt 1; and string match -q -- '-*' $previous
        set -l values ($cgpol __list values "$command" -- $previous 2>/dev/null)
        if test "$values" = DIR
            __fish_complete_directories $current
            return
        else if test "$values" != '-'
            set -l head (string match -r -- '.*,' $current)
            for value in $values
                printf '%s\n' "$head$value"
            end
            return
        end
    end
    if string match -q -- '-*' $current
        $cgpol __list options $command 2>/dev/null
    else if test -z "$command"
        $cgpol __list commands 2>/dev/null
    else
        $cgpol __list operands $command 2>/dev/null
    end
end

complete -c cgpol -f -a '(__cgpol_complete)'
