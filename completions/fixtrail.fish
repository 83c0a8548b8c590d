# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_fixtrail_global_optspecs
    string join \n h/help V/version
end

function __fish_fixtrail_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_fixtrail_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_fixtrail_using_subcommand
    set -l cmd (__fish_fixtrail_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c fixtrail -n "__fish_fixtrail_needs_command" -s h -l help -d 'Print help'
complete -c fixtrail -n "__fish_fixtrail_needs_command" -s V -l version -d 'Print version'
complete -c fixtrail -n "__fish_fixtrail_needs_command" -f -a "validate" -d 'Check FIX messages; print every finding with its place and a stable code'
complete -c fixtrail -n "__fish_fixtrail_needs_command" -f -a "parse" -d 'Turn logs into typed events: JSON lines or CSV on a pipe, Parquet in a directory'
complete -c fixtrail -n "__fish_fixtrail_needs_command" -f -a "link" -d 'Link events into order lifecycles; write a trail, or take care of one'
complete -c fixtrail -n "__fish_fixtrail_needs_command" -f -a "query" -d 'Ask questions of a trail: one order\'s story, SQL, the live files, the versions'
complete -c fixtrail -n "__fish_fixtrail_needs_command" -f -a "gen" -d 'Write man pages and completions'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l stdin-name -d 'What standard input is called in findings and ids' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -s j -l threads -d 'Worker threads [default: one per core]' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l appl-version -d 'Application version of FIXT sessions whose Logon is not in the log' -r -f -a "4.0\t''
4.1\t''
4.2\t''
4.3\t''
4.4\t''
5.0\t''
5.0sp1\t''
5.0sp2\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l unit-bytes -d 'Bytes in a unit of work; for tests' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -s f -l format -d 'How findings are written' -r -f -a "text\t'file:offset: level: code: sentence'
json\t'One object a line'
csv\t''
parquet\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -s o -l output -d 'Write findings to a file instead of standard output' -r -F
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l level -d 'What is checked: framing and sums only, or whole messages' -r -f -a "frame\t''
message\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l min-level -d 'Write only findings of this level or worse; all are counted' -r -f -a "info\t''
warning\t''
error\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l report -d 'Write a summary of the run as JSON' -r -F
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l fail-on -d 'End with status 1 if there is a finding of this level or worse' -r -f -a "info\t''
warning\t''
error\t''
never\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l color -d 'When to use colours and a progress bar' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l no-mmap -d 'Read files instead of mapping them, for logs that may be cut short meanwhile'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l json -d 'The same as -f json'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -l force -d 'Replace an existing output file'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -s q -l quiet -d 'Say nothing on standard error but errors'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -s v -l verbose -d 'Say more: every kind of finding with its count, bytes outside of messages'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l stdin-name -d 'What standard input is called in findings and ids' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -s j -l threads -d 'Worker threads [default: one per core]' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l appl-version -d 'Application version of FIXT sessions whose Logon is not in the log' -r -f -a "4.0\t''
4.1\t''
4.2\t''
4.3\t''
4.4\t''
5.0\t''
5.0sp1\t''
5.0sp2\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l unit-bytes -d 'Bytes in a unit of work; for tests' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -s o -l output -d 'A directory for Parquet, partitioned by date, or a file for JSON or CSV [default: standard output]' -r -F
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -s f -l format -d 'How events are written [default: json to a pipe or a .json file, csv to a .csv file, parquet to a directory]' -r -f -a "json\t'One object a line'
csv\t''
parquet\t'A directory of files, partitioned by date'"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l findings -d 'Write findings to a file: JSON lines, or CSV if its name ends in .csv' -r -F
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l validate -d 'What is checked while reading' -r -f -a "none\t'Framing and sums only'
message\t'Every message against its dictionary'"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l temp-dir -d 'Directory for temporary files, which go when the run ends [default: the output\'s]' -r -f -a "(__fish_complete_directories)"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l wait -d 'Wait so long for another run that is writing to the same output' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l report -d 'Write a summary of the run as JSON' -r -F
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l fail-on -d 'End with status 1 if there is a finding of this level or worse' -r -f -a "info\t''
warning\t''
error\t''
never\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l color -d 'When to use colours and a progress bar' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l no-mmap -d 'Read files instead of mapping them, for logs that may be cut short meanwhile'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l json -d 'The same as -f json'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l names -d 'In JSON, call tags by their names and add the words for their values'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l skip-unreadable -d 'Make an unreadable input a finding instead of stopping'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -l force -d 'Replace what the output already holds; a trail keeps its older versions'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -s q -l quiet -d 'Say nothing on standard error but errors'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -s v -l verbose -d 'Say more: every kind of finding with its count, bytes outside of messages'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand parse" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l stdin-name -d 'What standard input is called in findings and ids' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -s j -l threads -d 'Worker threads [default: one per core]' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l appl-version -d 'Application version of FIXT sessions whose Logon is not in the log' -r -f -a "4.0\t''
4.1\t''
4.2\t''
4.3\t''
4.4\t''
5.0\t''
5.0sp1\t''
5.0sp2\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l unit-bytes -d 'Bytes in a unit of work; for tests' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -s o -l output -d 'The trail\'s directory' -r -f -a "(__fish_complete_directories)"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l expire -d 'Drop versions of a trail and the files that only they have; stay: those that were the latest within an age, such as 12h, 30d or 8w, or so many of the newest' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l backup -d 'Copy a trail to a new directory, or bring an earlier copy up to date, while others may write to the trail' -r -f -a "(__fish_complete_directories)"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l memory -d 'Memory that linking may take, such as 512M or 4G; what does not fit goes through temporary files [default: a quarter of the machine\'s]' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l watch -d 'Go on until interrupted: look again every so many seconds and commit what has come' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l settle -d 'With --watch: take a file when it has not changed for so long' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l validate -d 'What is checked while reading' -r -f -a "none\t'Framing and sums only'
message\t'Every message against its dictionary'"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l temp-dir -d 'Directory for temporary files, which go when the run ends [default: the output\'s]' -r -f -a "(__fish_complete_directories)"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l wait -d 'Wait so long for another run that is writing to the same output' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l report -d 'Write a summary of the run as JSON' -r -F
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l fail-on -d 'End with status 1 if there is a finding of this level or worse' -r -f -a "info\t''
warning\t''
error\t''
never\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l color -d 'When to use colours and a progress bar' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l no-mmap -d 'Read files instead of mapping them, for logs that may be cut short meanwhile'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l compact -d 'Merge small files of a trail into larger ones, as a new version with the same rows'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l verify -d 'Read every file of a trail again and compare it with what was recorded; print what is damaged'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l all-versions -d 'With --verify and --backup: not only the latest version'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l check-content -d 'Read inputs that were taken already even if length and time of the file are the same'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l dry-run -d 'Say what would be done with each input, and write nothing'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l skip-unreadable -d 'Make an unreadable input a finding instead of stopping'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -l force -d 'Replace what the output already holds; a trail keeps its older versions'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -s q -l quiet -d 'Say nothing on standard error but errors'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -s v -l verbose -d 'Say more: every kind of finding with its count, bytes outside of messages'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand link" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and not __fish_seen_subcommand_from order sql files versions" -s h -l help -d 'Print help'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and not __fish_seen_subcommand_from order sql files versions" -f -a "order" -d 'Show the life of an order as a tree'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and not __fish_seen_subcommand_from order sql files versions" -f -a "sql" -d 'Answer a SQL statement over trails, Parquet and CSV files'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and not __fish_seen_subcommand_from order sql files versions" -f -a "files" -d 'Print the paths of a table\'s live Parquet files, for other engines'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and not __fish_seen_subcommand_from order sql files versions" -f -a "versions" -d 'List the versions of a trail: when each was made, from what, and what it holds'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from order" -l version -d 'Ask this version of the trail; `query versions` lists them' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from order" -l as-known-at -d 'Ask the version that was the latest at a time, such as 2026-03-02T18:00:00Z; a date counts to its end, UTC' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from order" -l color -d 'When to use colours' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from order" -l json -d 'One JSON object a lifecycle instead of a tree'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from order" -l ascii -d 'Only ASCII in the tree'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from order" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from sql" -l version -d 'Ask this version of the trail; `query versions` lists them' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from sql" -l as-known-at -d 'Ask the version that was the latest at a time, such as 2026-03-02T18:00:00Z; a date counts to its end, UTC' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from sql" -l file -d 'Read the statement from a file, or from standard input for -' -r -F
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from sql" -s f -l format -d 'How rows are written [default: table on a terminal, else csv; with --output by the file\'s name]' -r -f -a "table\t''
csv\t''
json\t'One object a line'
parquet\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from sql" -s o -l output -d 'Write to a file instead of standard output' -r -F
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from sql" -l max-rows -d 'Rows that a table shows; 0 shows all' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from sql" -l color -d 'When to use colours' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from sql" -l json -d 'The same as -f json'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from sql" -l force -d 'Replace an existing output file'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from sql" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from files" -l version -d 'Ask this version of the trail; `query versions` lists them' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from files" -l as-known-at -d 'Ask the version that was the latest at a time, such as 2026-03-02T18:00:00Z; a date counts to its end, UTC' -r
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from files" -s 0 -l null -d 'End each path with a zero byte'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from files" -s h -l help -d 'Print help'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from versions" -s f -l format -d 'How versions are written [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t'One object a line, with every table and source'"
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from versions" -l json -d 'The same as -f json'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand query; and __fish_seen_subcommand_from versions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fixtrail -n "__fish_fixtrail_using_subcommand gen" -s h -l help -d 'Print help'
