/** How the programs that agents run in are connected to a service. */
export interface Connection {
  /** The service's address. */
  baseUrl: string
  apiKey: string
}

/** A configuration file with the MCP servers of a program, for everything that its user does. */
export interface ClientConfig {
  /** The file, as people know it. */
  file: string
  format: 'json' | 'toml'
  /** The part of the file with the servers. */
  section: string
  urlField: string
  headersField: string
  /** What an entry has besides. */
  fixed: Readonly<Record<string, string>>
}

/** A text to run, add or open. */
export interface Instruction {
  about: string
  text: string
  isLink?: true
}

export interface AgentClient {
  name: string
  /** Undefined for what is not connected by a file. */
  config?: ClientConfig
  /** The ways to connect it, the shortest first. */
  instructions(connection: Connection): Instruction[]
}

/** What an agent gets unless someone chooses otherwise. */
export const agentScopes = ['tasks:write', 'knowledge:write'] as const

/** The name of the service in the configuration of a client. */
export const serverName = 'worklore'

const baseOf = ({ baseUrl }: Connection): string => new URL(baseUrl).href.replace(/(\/mcp)?\/*$/, '')

export const mcpUrlOf = (connection: Connection): string => `${baseOf(connection)}/mcp`

const bearerOf = ({ apiKey }: Connection): string => `Bearer ${apiKey}`

const isPlain = (word: string): boolean => /^[\w.:/%@-]+$/.test(word)

/** A word of a command line, for shells of every kind where it has nothing that they read. */
const shellWord = (word: string): string => (isPlain(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

const authorizationOption = (connection: Connection): string => `"Authorization: ${bearerOf(connection)}"`

export const entryOf = (config: ClientConfig, connection: Connection): Record<string, unknown> => ({
  ...config.fixed,
  [config.urlField]: mcpUrlOf(connection),
  [config.headersField]: { Authorization: bearerOf(connection) },
})

const tomlValue = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : `{ ${Object.entries(value as object)
        .map(([name, each]) => `${name} = ${tomlValue(each)}`)
        .join(', ')} }`

/** The lines of an entry in a table of a TOML file. */
export const tomlLines = (entry: Record<string, unknown>): string[] =>
  Object.entries(entry).map(([name, value]) => `${name} = ${tomlValue(value)}`)

/** What a file has that has nothing else. */
export const configText = (config: ClientConfig, connection: Connection): string => {
  const entry = entryOf(config, connection)
  if (config.format === 'json') return `${JSON.stringify({ [config.section]: { [serverName]: entry } }, null, 2)}\n`
  return `[${config.section}.${serverName}]\n${tomlLines(entry).join('\n')}\n`
}

const addToFile = (
  config: ClientConfig,
  connection: Connection,
  about = `Add this to ${config.file}`,
): Instruction => ({
  about,
  text: configText(config, connection),
})

const runInTerminal = 'Run this in a terminal'

const servers = { section: 'mcpServers', urlField: 'url', headersField: 'headers', fixed: {} } as const

const claude: ClientConfig = { ...servers, file: '~/.claude.json', format: 'json', fixed: { type: 'http' } }
const codex: ClientConfig = {
  ...servers,
  file: '~/.codex/config.toml',
  format: 'toml',
  section: 'mcp_servers',
  headersField: 'http_headers',
}
const cursor: ClientConfig = { ...servers, file: '~/.cursor/mcp.json', format: 'json' }
const vscode: ClientConfig = {
  ...servers,
  file: 'the file that the command "MCP: Open User Configuration" opens',
  format: 'json',
  section: 'servers',
  fixed: { type: 'http' },
}
const gemini: ClientConfig = { ...servers, file: '~/.gemini/settings.json', format: 'json', urlField: 'httpUrl' }

/** Programs whose configuration is known, by the name that `wl setup` calls them. */
export const agentClients = {
  claude: {
    name: 'Claude Code',
    config: claude,
    // Every word after --header is one more header to Claude Code, so it comes last.
    instructions: (connection) => [
      {
        about: runInTerminal,
        text: `claude mcp add --transport http --scope user ${serverName} ${shellWord(mcpUrlOf(connection))} --header ${authorizationOption(connection)}`,
      },
      addToFile(claude, connection, `Or add this to ${claude.file}`),
    ],
  },
  codex: {
    name: 'Codex',
    config: codex,
    instructions: (connection) => [addToFile(codex, connection)],
  },
  cursor: {
    name: 'Cursor',
    config: cursor,
    instructions: (connection) => [
      {
        about: 'Add to Cursor',
        text: `cursor://anysphere.cursor-deeplink/mcp/install?name=${serverName}&config=${encodeURIComponent(btoa(JSON.stringify(entryOf(cursor, connection))))}`,
        isLink: true,
      },
      addToFile(cursor, connection, `Or add this to ${cursor.file}`),
    ],
  },
  vscode: {
    name: 'VS Code',
    config: vscode,
    instructions: (connection) => [
      {
        about: 'Add to VS Code',
        text: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: serverName, ...entryOf(vscode, connection) }))}`,
        isLink: true,
      },
      addToFile(vscode, connection, `Or add this to ${vscode.file}`),
    ],
  },
  gemini: {
    name: 'Gemini CLI',
    config: gemini,
    instructions: (connection) => [
      {
        about: runInTerminal,
        text: `gemini mcp add --scope user --transport http --header ${authorizationOption(connection)} ${serverName} ${shellWord(mcpUrlOf(connection))}`,
      },
      addToFile(gemini, connection, `Or add this to ${gemini.file}`),
    ],
  },
} as const satisfies Record<string, AgentClient & { config: ClientConfig }>

export type AgentClientId = keyof typeof agentClients

/** The command line and HTTP, for agents that use neither of these programs. */
export const otherClients = {
  wl: {
    name: 'wl',
    instructions: (connection) => [
      {
        about: `${runInTerminal}, or set both where the agent runs`,
        text: `export WORKLORE_URL=${shellWord(baseOf(connection))}\nexport WORKLORE_KEY=${connection.apiKey}\nnpx -y worklore-cli whoami\n`,
      },
    ],
  },
  curl: {
    name: 'curl',
    instructions: (connection) => [
      {
        about: runInTerminal,
        text: `curl -s ${shellWord(`${baseOf(connection)}/v1/me`)} -H ${authorizationOption(connection)}`,
      },
    ],
  },
} as const satisfies Record<string, AgentClient>
