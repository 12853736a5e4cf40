import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport as NewStdioTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { TestTenant } from './harness.js'

/** What a tool answered: its text, and whether that is an error. */
interface ToolAnswer {
  text: string
  isError: boolean
}

interface ListedTool {
  name: string
  inputSchema: object
  outputSchema?: object | undefined
}

export interface ConnectedClient {
  instructions: string | undefined
  tools(): Promise<ListedTool[]>
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>
  close(): Promise<void>
}

/** A program that speaks the protocol on its standard input and output. */
interface Command {
  command: string
  args: string[]
  env: Record<string, string>
}

type Service = Pick<TestTenant, 'baseUrl'>
type Result = { content?: unknown; isError?: unknown; structuredContent?: unknown }

const answerOf = ({ content, isError }: Result): ToolAnswer => ({
  text: (content as { text: string }[]).map(({ text }) => text).join('\n'),
  isError: isError === true,
})

const identity = { name: 'worklore-test', version: '1.0.0' }

const endpointOf = ({ baseUrl }: Service): URL => new URL(`${baseUrl}/mcp`)
const authorizedWith = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } })

const connected = (client: NewClient | OldClient): ConnectedClient => ({
  instructions: client.getInstructions(),
  tools: async () => (await client.listTools()).tools,
  call: async (name, args = {}) => answerOf((await client.callTool({ name, arguments: args })) as Result),
  close: () => client.close(),
})

/** The official client of the current revision, which asks the server what it speaks. */
const connectNew = async (transport: NewTransport | NewStdioTransport): Promise<ConnectedClient> => {
  const client = new NewClient(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(transport)
  return connected(client)
}

/** The official client of the revisions that begin with `initialize`. */
const connectOld = async (transport: OldTransport | OldStdioTransport): Promise<ConnectedClient> => {
  const client = new OldClient(identity)
  // The two disagree only on whether an optional member may be undefined.
  await client.connect(transport as never)
  return connected(client)
}

export const generations = [
  {
    revision: '2026-07-28',
    connect: (service: Service, key: string) => connectNew(new NewTransport(endpointOf(service), authorizedWith(key))),
    connectToCommand: (command: Command) => connectNew(new NewStdioTransport(command)),
  },
  {
    revision: '2025-11-25',
    connect: (service: Service, key: string) => connectOld(new OldTransport(endpointOf(service), authorizedWith(key))),
    connectToCommand: (command: Command) => connectOld(new OldStdioTransport(command)),
  },
] as const
