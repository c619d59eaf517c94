// The scripts of `ctx completion`. Each passes the words of a command line to `ctx __complete`, after `--`
// and as they were typed: nothing that a person types, and nothing that a store contains, is ever evaluated.
// The output has one candidate per line, with a tab before its description; `:files` and `:folders` stand for
// the shell's own names.

/**
 * Bash splits words at `:` and `=`: the script joins them for ctx, and splits the candidates as bash expects.
 */
const bash = `# Completion of ctx for bash, made by: ctx completion bash
_ctx() {
  local IFS=$' \\t\\n' word line head breaks= files= folders= glue= i
  local -a words=()
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ \${#words[@]} -gt 0 && -n $word && ( -n $glue || $word != *[!:=]* ) ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    glue=
    [[ -n $word && $word != *[!:=]* ]] && glue=1
  done
  [[ \${#words[@]} -gt 0 ]] || return 0
  # Inside a quotation, readline completes what follows the quote.
  i=$((\${#words[@]} - 1))
  words[i]=\${words[i]#[\\"\\']}
  while IFS= read -r line; do
    case $line in
      :files) files=1 ;;
      :folders) folders=1 ;;
      ?*) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(command ctx __complete -- "\${words[@]}" 2>/dev/null </dev/null)
  # Only what follows the last break is replaced.
  [[ $COMP_WORDBREAKS == *:* ]] && breaks=$breaks:
  [[ $COMP_WORDBREAKS == *=* ]] && breaks=$breaks=
  if [[ -n $breaks ]]; then
    head=\${words[i]%"\${words[i]##*[$breaks]}"}
    for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=\${COMPREPLY[i]#"$head"}; done
  fi
  type compopt >/dev/null 2>&1 || return 0
  compopt -o nosort 2>/dev/null
  if [[ -n $folders ]]; then
    compopt -o filenames -o dirnames 2>/dev/null
  elif [[ -n $files && \${#COMPREPLY[@]} -eq 0 ]]; then
    compopt -o filenames -o default 2>/dev/null
  elif [[ -n $files ]]; then
    # A candidate begins with the word, so the word is plain text here.
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${words[\${#words[@]}-1]}")
    compopt -o filenames 2>/dev/null
  fi
  return 0
}
if type compopt >/dev/null 2>&1; then complete -F _ctx ctx; else complete -o default -F _ctx ctx; fi
`;

/**
 * Zsh's own completion of files runs the text in $( ) or backquotes: the script does not call it for such
 * words.
 */
const zsh = `#compdef ctx
# Completion of ctx for zsh, made by: ctx completion zsh
_ctx() {
  local line value about ret=1 files= folders=
  local -a before values abouts shown
  local -i width=0 i
  (( CURRENT > 2 )) && before=("\${(@)words[2,CURRENT-1]}")
  for line in "\${(@f)$(command ctx __complete -- "\${(@)before}" "$PREFIX" 2>/dev/null </dev/null)}"; do
    case $line in
      (:files) files=1 ;;
      (:folders) folders=1 ;;
      (?*)
        value=\${line%%$'\\t'*}
        values+=("$value")
        abouts+=("\${line#*$'\\t'}")
        (( $#value > width )) && width=$#value
        ;;
    esac
  done
  for (( i = 1; i <= $#values; i++ )); do
    about=$abouts[i]
    shown+=("\${(r:width:)values[i]}\${about:+  -- $about}")
  done
  (( $#values )) && compadd -l -V ctx -d shown -a values && ret=0
  if [[ -n $files$folders && $PREFIX$SUFFIX != *[\\$\\\`]* ]]; then
    compset -P '--[a-z-]#='
    if [[ -n $folders ]]; then _files -/ && ret=0; else _files && ret=0; fi
  fi
  return ret
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _ctx "$@"
elif (( $+functions[compdef] )); then
  compdef _ctx ctx
else
  print -u2 "ctx: completion needs compinit; run 'autoload -Uz compinit && compinit' first"
fi
`;

const fish = `# Completion of ctx for fish, made by: ctx completion fish
function __ctx_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l token (commandline -ct)
    for line in (command ctx __complete -- $words "$token" 2>/dev/null </dev/null)
        switch $line
            case :files :folders
                __ctx_paths $line "$token"
            case '*'
                printf '%s\\n' $line
        end
    end
end
# Names in the file system that begin with the word, which is taken as it is; folders end with a slash.
function __ctx_paths -a kind token
    set -l head (string match -r -- '^--[a-z-]+=' $token)
    set -l start (string replace -r -- '^--[a-z-]+=' '' $token)
    set -l place (string replace -r -- '^~(?=/|$)' (string escape --style=regex -- $HOME) $start)
    for path in "$place"*
        if test -d "$path"
            set path "$path/"
        else if test $kind = :folders
            continue
        end
        if string match -q -- '~*' $start
            set path '~'(string sub -s (math 1 + (string length -- $HOME)) -- $path)
        end
        printf '%s%s\\n' "$head" "$path"
    end
end
complete -c ctx -e
complete -c ctx -f -k -a '(__ctx_complete)'
`;

/** On Windows a word may pass through cmd.exe, so only words of harmless characters are passed on. */
const powershell = `# Completion of ctx for PowerShell, made by: ctx completion powershell
Register-ArgumentCompleter -Native -CommandName ctx -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
  $words += "$wordToComplete"
  if (@($words | Where-Object { $_ -notmatch '\\A[A-Za-z0-9._/@:+=~\\\\ -]*\\z' }).Count -gt 0) { return }
  # Before 7.3, PowerShell drops an empty word unless it is quoted.
  if ("$wordToComplete" -eq '' -and ($PSVersionTable.PSVersion -lt [version]'7.3' -or $PSNativeCommandArgumentPassing -eq 'Legacy')) {
    $words[-1] = '""'
  }
  $program = Get-Command ctx -CommandType Application, ExternalScript -ErrorAction SilentlyContinue | Select-Object -First 1
  if ($null -eq $program) { return }
  & $program __complete -- @words 2>$null | ForEach-Object {
    if ($_ -eq ':files' -or $_ -eq ':folders') {
      $folders = $_ -eq ':folders'
      [System.Management.Automation.CompletionCompleters]::CompleteFilename("$wordToComplete") |
        Where-Object { -not $folders -or $_.ResultType -eq 'ProviderContainer' }
    } elseif ($_ -ne '') {
      $value, $about = $_ -split [char]9, 2
      if ([string]::IsNullOrEmpty($about)) { $about = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
  }
}
`;

export const scripts = { bash, zsh, fish, powershell } as const;
