import { rmSync, statSync } from 'node:fs'
import { ApiError, NetworkError, Worklore } from 'worklore-client'
import {
  type AgentClientId,
  agentClients,
  agentScopes,
  type Connection,
  configText,
  mcpUrlOf,
} from 'worklore-client/setup'
import { choices } from '../choices.js'
import { type Answer, type Cli, command } from '../command.js'
import { CommandError, usageError } from '../exit-codes.js'
import { listOf } from '../input.js'
import { didYouMean } from '../nearest-name.js'
import { flag, text, texts } from '../option.js'
import { privateMode, readIfThere, replaceFile } from '../private-file.js'
import { workFolder } from '../repository.js'
import { confirmOnTerminal } from '../terminal/prompt.js'
import { printable } from '../terminal/screen.js'

interface SetupValues {
  agent?: string | undefined
  'limit-to'?: string[] | undefined
  file?: string | undefined
  print?: boolean | undefined
  remove?: boolean | undefined
}

const answerOf = (file: string, line: string, isChanged: boolean): Answer => ({
  body: { data: { file, changed: isChanged } },
  ids: [file],
  text: () => printable(line),
})

const printed = (cli: Cli, file: string, content: string): Answer => {
  if (cli.isText) cli.note(`For ${file}:`)
  return { body: { data: { file, text: content } }, ids: [file], text: () => content }
}

const agentsMd = async (cli: Cli, values: SetupValues): Promise<Answer> => {
  const { instructionsFileOf, instructionsOf, withInstructions } = await import('../setup/agents-md.js')
  const folder = workFolder(process.cwd())
  const file = values.file ?? instructionsFileOf(folder)
  const section = instructionsOf(folder)
  if (values.print) return printed(cli, file, section)
  const edited = (text: string): string => withInstructions(text, file, values.remove ? undefined : section)
  const before = readIfThere(file) ?? ''
  if (edited(before) === before) return answerOf(file, `Nothing to change in ${file}.`, false)
  await confirmOnTerminal(
    cli,
    `This ${values.remove ? 'removes the section of Worklore from' : 'adds a section to'} ${file}.`,
  )
  const present = readIfThere(file)
  const after = edited(present ?? '')
  if (after === '') rmSync(file, { force: true })
  else replaceFile(file, after, present === undefined ? 0o644 : statSync(file).mode & 0o777)
  return answerOf(file, `${values.remove ? 'Removed the section from' : 'Wrote the section to'} ${file}.`, true)
}

/** Says what is wrong with a key before it is written where nobody looks. */
const checkKeyInUse = async (cli: Cli): Promise<void> => {
  const { url } = cli.settings
  try {
    const { scopes } = await cli.client({ maxRetries: 0 }).me()
    if (scopes.includes('admin')) {
      cli.note('This key may do everything. Use --agent NAME to give the agent a key of its own.')
    }
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    cli.note(`Cannot reach ${url}; the key was not checked.`)
  }
}

/** Whether a key that is set up already still works. */
const isAccepted = async (baseUrl: string, apiKey: string): Promise<boolean> => {
  try {
    await new Worklore({ baseUrl, apiKey, maxRetries: 0 }).me()
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false
    throw error
  }
}

/** What stands for a key that is not created yet. */
const placeholder = 'wl_live_…'

/** The configuration of a client. */
interface Target {
  name: string
  file: string
  /** Whether the file would change with this entry, or without any. */
  changes(connection?: Connection): boolean
  /** Edits the file as it is by then: its program may have written it while the user was asked. */
  save(connection?: Connection): void
  /** The key with which it connects to this service already. */
  knownKey(connection: Connection): string | undefined
}

const targetOf = async (id: AgentClientId, given: string | undefined): Promise<Target> => {
  const [{ configFileOf }, { knownKey, withEntry }] = await Promise.all([
    import('../setup/locations.js'),
    import('../setup/config-file.js'),
  ])
  const { name, config } = agentClients[id]
  const file = given ?? configFileOf(id, process.env)
  const present = (): string => readIfThere(file) ?? ''
  const edited = (connection?: Connection): string => withEntry(config, present(), file, connection)
  return {
    name,
    file,
    changes: (connection) => edited(connection) !== present(),
    save: (connection) => replaceFile(file, edited(connection), privateMode),
    knownKey: (connection) => knownKey(config, present(), file, mcpUrlOf(connection)),
  }
}

const disconnect = async (cli: Cli, { name, file, changes, save }: Target): Promise<Answer> => {
  if (!changes()) return answerOf(file, `Nothing to remove from ${file}.`, false)
  await confirmOnTerminal(cli, `This removes the MCP server worklore from ${file}.`)
  save()
  const line = `Removed worklore from ${file}. Restart ${name}. The key goes on working until it is revoked.`
  return answerOf(file, line, true)
}

const written = ({ name, file }: Target): Answer =>
  answerOf(file, `Wrote worklore to ${file}. Restart ${name} to connect.`, true)

const unchanged = ({ file }: Target): Answer => answerOf(file, `${file} has it already.`, false)

const connectWithKeyInUse = async (cli: Cli, target: Target): Promise<Answer> => {
  const connection = { baseUrl: cli.settings.url, apiKey: cli.key() }
  if (!target.changes(connection)) return unchanged(target)
  await checkKeyInUse(cli)
  await confirmOnTerminal(
    cli,
    `This writes the MCP server worklore (${mcpUrlOf(connection)}) and the key to ${target.file}.`,
  )
  target.save(connection)
  return written(target)
}

/** The agent that was set up before under this name, on another machine perhaps. */
const agentIdOf = async (wl: Worklore, agent: string): Promise<string | undefined> => {
  for await (const { id, kind, name } of wl.users.list({ limit: 100 })) {
    if (kind === 'agent' && name === agent) return id
  }
  return undefined
}

const connectNewAgent = async (cli: Cli, target: Target, agent: string, projects?: string[]): Promise<Answer> => {
  const baseUrl = cli.settings.url
  const unfinished = { baseUrl, apiKey: placeholder }
  const known = target.knownKey(unfinished)
  if (known && (await isAccepted(baseUrl, known))) return unchanged(target)
  // What cannot be written is to fail before there is a key.
  target.changes(unfinished)
  const wl = cli.client()
  const knownId = await agentIdOf(wl, agent)
  const creates = knownId === undefined ? `the agent ${agent} with a key of its own` : `a key for the agent ${agent}`
  await confirmOnTerminal(cli, `This creates ${creates} and writes it to ${target.file}.`)
  const { id, userId, key } = await wl.keys.create({
    name: `${agent} (${target.name})`,
    scopes: [...agentScopes],
    projectIds: projects,
    ...(knownId === undefined ? { user: { name: agent } } : { userId: knownId }),
  })
  try {
    if (!key) throw new CommandError('The answer with the key was lost. Try again.')
    target.save({ baseUrl, apiKey: key })
  } catch (error) {
    await wl.keys.delete(id)
    if (knownId === undefined) await wl.users.delete(userId!)
    throw error
  }
  return written(target)
}

const connect = async (cli: Cli, id: AgentClientId, values: SetupValues): Promise<Answer> => {
  const target = await targetOf(id, values.file)
  const { agent } = values
  if (values.remove) return disconnect(cli, target)
  if (values.print) {
    const apiKey = (agent === undefined ? cli.settings.key : undefined) ?? placeholder
    return printed(cli, target.file, configText(agentClients[id].config, { baseUrl: cli.settings.url, apiKey }))
  }
  if (agent === undefined) return connectWithKeyInUse(cli, target)
  return connectNewAgent(cli, target, agent, listOf(values['limit-to']))
}

const isClientId = (word: string): word is AgentClientId => Object.hasOwn(agentClients, word)

export const setup = command({
  words: ['CLIENT'],
  more: `The client is claude, codex, cursor, vscode or gemini: writes the service and the key in use to its configuration,
for all projects of this user. With --agent, creates an agent with a key of its own first. agents-md adds a section to
AGENTS.md or CLAUDE.md, whichever is there, that tells agents how to work in this repository.`,
  options: {
    agent: text('AGENT-NAME', 'Create an agent, and write its key'),
    'limit-to': texts('PROJECT', "Only this project for the agent's key; repeat it for several"),
    file: text('FILE', 'Another file, such as .vscode/mcp.json'),
    print: flag('Only print what would be added'),
    remove: flag('Take it out again'),
  },
  run: async (cli, values, [word]) => {
    if (values.remove && (values.print || values.agent !== undefined)) {
      throw usageError('--remove cannot be combined with --print or --agent.')
    }
    if (values['limit-to'] && values.agent === undefined) throw usageError('--limit-to needs --agent.')
    if (word === 'agents-md') return agentsMd(cli, values)
    if (isClientId(word!)) return connect(cli, word, values)
    const known = choices.CLIENT!
    throw usageError(`Unknown client "${word}".${didYouMean(word!, known) || ` Use ${known.join(', ')}.`}`)
  },
})
