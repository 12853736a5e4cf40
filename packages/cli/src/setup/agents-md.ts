import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../exit-codes.js'
import { readRepositorySettings } from '../repository.js'

const begin = '<!-- worklore: begin (wl setup agents-md) -->'
const end = '<!-- worklore: end -->'

const names = ['AGENTS.md', 'CLAUDE.md']

/** The file of a repository with what agents read first. */
export const instructionsFileOf = (folder: string): string => {
  const files = names.map((name) => join(folder, name))
  return files.find((file) => existsSync(file)) ?? files[0]!
}

/** How to work here, for an agent with the tools of `/mcp` or with `wl`. */
export const instructionsOf = (folder: string): string => {
  const { project } = readRepositorySettings(folder)
  const where = project === undefined ? '' : `, project ${project}`
  return `${begin}
## Tasks and knowledge

The work of this repository is in Worklore${where}. Use the MCP server \`worklore\`, or the command line \`wl\`.

- Take a task before you work: \`claim_task\` (\`wl next --claim\`, or \`wl claim ID\`). Keep its claim token, and send it along.
- Read what comes with it: notes, results, earlier attempts (\`wl context ID\`). Look for more with \`search\` (\`wl search\`).
- Report what you find while you work: \`add_comment\` (\`wl comment ID -m TEXT\`). If you need longer than the claim lasts,
  renew it: \`update_task\` with its id and claim (\`wl renew\`).
- What only a person can decide: \`ask_question\` (\`wl ask ID TEXT\`). What else is to be done: \`create_task\` (\`wl add\`).
- Finish with a summary and the result: \`finish_task\` (\`wl done -m TEXT\`). What you cannot finish, release with the reason
  (\`wl release -m TEXT\`).
- Write down what the next one must know: \`write_knowledge\` (\`wl note put KEY -\`). Search first, and update what is there.
${end}
`
}

/** The part between the marks, with them and the line break after it. */
const markedPart = (text: string, file: string): [from: number, to: number] | undefined => {
  const from = text.indexOf(begin)
  const last = text.indexOf(end)
  if (from < 0 && last < 0) return undefined
  if (from < 0 || last < from || text.indexOf(begin, from + 1) >= 0 || text.indexOf(end, last + 1) >= 0) {
    throw new CommandError(`${file} must have each of the lines "${begin}" and "${end}" once. Correct it.`)
  }
  const to = last + end.length
  return [from, to + (/^\r?\n/.exec(text.slice(to))?.[0].length ?? 0)]
}

/** The text with the section, or without any. */
export const withInstructions = (text: string, file: string, section: string | undefined): string => {
  const part = markedPart(text, file)
  const written = (section ?? '').replaceAll('\n', text.includes('\r\n') ? '\r\n' : '\n')
  if (part) {
    const [before, after] = [text.slice(0, part[0]), text.slice(part[1])]
    if (section !== undefined) return before + written + after
    return before.trim() === '' ? after.replace(/^\s+/, '') : before.replace(/(\r?\n)\s*$/, '$1') + after
  }
  if (section === undefined) return text
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return text.trim() === '' ? written : `${text.replace(/\s*$/, '')}${eol}${eol}${written}`
}
