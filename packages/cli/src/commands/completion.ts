import { command } from '../command.js'
import { candidatesFor } from '../complete.js'
import { usageError } from '../exit-codes.js'
import { printable } from '../terminal/screen.js'

const bash = `_wl() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done \\
    < <(wl __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _wl wl
`

const zsh = `#compdef wl
_wl() {
  local line
  local -a candidates
  while IFS= read -r line; do
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(wl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe wl candidates -M 'm:{a-z}={A-Z}'; else _files; fi
}
compdef _wl wl
`

const fish = `function __wl_complete
  set -l words (commandline -opc) (commandline -ct)
  wl __complete -- $words[2..-1] 2>/dev/null
end
complete -c wl -f -a '(__wl_complete)'
complete -c wl -n '__fish_seen_subcommand_from import export put append' -F
`

const scripts: Record<string, string> = { bash, zsh, fish }

export const completion = command({
  words: ['SHELL'],
  more: `It asks the server for ids, keys and labels, and waits 2s for it, or WORKLORE_COMPLETION_TIMEOUT.

  bash:  echo 'source <(wl completion bash)' >> ~/.bashrc
  zsh:   echo 'source <(wl completion zsh)' >> ~/.zshrc      (after compinit)
  fish:  wl completion fish > ~/.config/fish/completions/wl.fish`,
  run: async (_cli, _values, [shell]) => {
    const script = Object.hasOwn(scripts, shell!) ? scripts[shell!] : undefined
    if (script === undefined) throw usageError(`Unknown shell "${shell}". Use bash, zsh or fish.`)
    return { body: { data: { shell, script } }, ids: [], text: () => script }
  },
})

export const __complete = command({
  words: ['[WORD...]'],
  run: async (cli, _values, words) => {
    // A wrong key or a server that is away must not spill into what is being typed.
    const candidates = await candidatesFor(cli, words).catch(() => [])
    const lines = candidates.map(({ value, about }) => `${value}\t${about}`)
    return {
      body: { data: candidates },
      ids: candidates.map(({ value }) => value),
      text: () => printable(lines.join('\n')),
    }
  },
})
