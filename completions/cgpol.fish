# SPDX-License-Identifier: LGPL-2.1-or-later
# fish completion for cgpol: every name comes from the program itself.

# A command line begins at the first word behind the command that is neither an option nor the value of one: it completes
# as if it stood alone. Status 1 when the cursor is not in it.
function __cgpol_command_line -a cgpol command
    set -l skip ''
    set -l line
    for token in $argv[3..-1]
        if test -n "$line"; or not string match -q -- '-*' $token; and test -z "$skip"
            set -a line (string escape -- $token)
        else if test -n "$skip"
            set skip ''
        else if test "$token" = --
            set line ''
        else if not string match -q -- '*=*' $token; and test "$($cgpol __list values $command -- $token 2>/dev/null)" != -
            set skip yes
        end
    end
    set -l current (commandline -ct)
    test -n "$skip"; and return 1
    test (count $line) -eq 0; and string match -q -- '-*' $current; and return 1
    complete -C "$(string trim -- "$line $current")"
end

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
    if test -n "$command"; and test "$($cgpol __list operands $command 2>/dev/null)" = COMMAND
        set -l at (contains -i -- $command $tokens)
        __cgpol_command_line $cgpol $command $tokens[(math $at + 1)..-1]; and return
    end
    if test (count $tokens) -gt 1; and string match -q -- '-*' $previous
        set -l values ($cgpol __list values "$command" -- $previous 2>/dev/null)
        if test "$values" = DIR
            __fish_complete_directories $current
            return
        else if test "$values" = FILE
            __fish_complete_path $current
            return
        else if test "$values" != '-'
            set -l head (string match -r -- '^(?:.*,|\\+)' $current)
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
