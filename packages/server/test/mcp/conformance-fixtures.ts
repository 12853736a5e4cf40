import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  InMemoryServerEventBus,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { McpOptions } from '../../src/mcp/answer.js'

/** What the conformance suite expects to find on a server: its descriptions of the scenarios name each of these. */

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
const ask = (message: string, name: string, type = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] } as never,
  })
const askForCapital = () =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
    maxTokens: 100,
  })

const jsonSchema2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

const capabilitiesOf = (ctx: ServerContext): Record<string, unknown> =>
  ((ctx.mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<
    string,
    unknown
  >

type Handler = (ctx: ServerContext, args: Record<string, unknown>) => unknown

export const createConformanceOptions = (): Required<McpOptions> => {
  const bus = new InMemoryServerEventBus()
  const states = createRequestStateCodec<string>({ key: randomBytes(32) })

  const toolHandlers: Record<string, Handler> = {
    test_simple_text: () => text('This is a simple text response for testing.'),
    test_image_content: () => ({ content: [{ type: 'image', data: pixel, mimeType: 'image/png' }] }),
    test_audio_content: () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] }),
    test_embedded_resource: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
    test_multiple_content_types: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: pixel, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
    test_error_handling: () => {
      throw new Error('This tool intentionally returns an error for testing')
    },
    test_tool_with_logging: async (ctx) => {
      for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await ctx.mcpReq.log('info', line)
        await sleep(50)
      }
      return text('Logged.')
    },
    test_logging_tool: async (ctx) => {
      await ctx.mcpReq.log('info', 'A line of the log')
      return text('Logged.')
    },
    test_tool_with_progress: async (ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
        await sleep(50)
      }
      return text('Done.')
    },
    // The server asks no client for what it did not say it can do, and answers with an error instead.
    test_missing_capability: () => inputRequired({ inputRequests: { capital_question: askForCapital() } }),
    test_streaming_elicitation: async (ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken ?? 'none'
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } })
      return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } })
    },
    test_trigger_tool_change: () => {
      bus.publish({ kind: 'tools_list_changed' })
      return text('Changed.')
    },
    test_trigger_prompt_change: () => {
      bus.publish({ kind: 'prompts_list_changed' })
      return text('Changed.')
    },
    test_input_required_result_elicitation: ({ mcpReq }) => {
      const answer = acceptedContent<{ name?: unknown }>(mcpReq.inputResponses, 'user_name')
      if (typeof answer?.name === 'string') return text(`Hello, ${answer.name}!`)
      return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } })
    },
    test_input_required_result_sampling: ({ mcpReq }) => {
      const answer = mcpReq.inputResponses?.capital_question as { content?: { text?: string } } | undefined
      if (answer) return text(`Model: ${answer.content?.text}`)
      return inputRequired({ inputRequests: { capital_question: askForCapital() } })
    },
    test_input_required_result_list_roots: ({ mcpReq }) => {
      const answer = mcpReq.inputResponses?.client_roots as { roots: { uri: string }[] } | undefined
      if (answer) return text(`Roots: ${answer.roots.map(({ uri }) => uri).join(', ')}`)
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    },
    test_input_required_result_request_state: async ({ mcpReq }) => {
      if (mcpReq.requestState<string>() === 'confirm' && mcpReq.inputResponses) return text('state-ok')
      return inputRequired({
        inputRequests: { confirm: ask('Please confirm', 'ok', 'boolean') },
        requestState: await states.mint('confirm'),
      })
    },
    test_input_required_result_tampered_state: async ({ mcpReq }) => {
      if (mcpReq.requestState<string>() === 'tamper') return text('state-ok')
      return inputRequired({
        inputRequests: { confirm: ask('Please confirm', 'ok', 'boolean') },
        requestState: await states.mint('tamper'),
      })
    },
    test_input_required_result_multiple_inputs: async ({ mcpReq }) => {
      if (mcpReq.requestState<string>() === 'several' && Object.keys(mcpReq.inputResponses ?? {}).length >= 3) {
        return text('All of them came.')
      }
      return inputRequired({
        inputRequests: {
          user_name: ask('What is your name?', 'name'),
          greeting: inputRequired.createMessage({
            messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }],
            maxTokens: 50,
          }),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await states.mint('several'),
      })
    },
    test_input_required_result_multi_round: async ({ mcpReq }) => {
      const state = mcpReq.requestState<string>()
      if (state === 'round 2' && mcpReq.inputResponses?.step2) return text('Both rounds are over.')
      const isFirst = !(state === 'round 1' && mcpReq.inputResponses?.step1)
      return inputRequired({
        inputRequests: isFirst
          ? { step1: ask('Step 1: What is your name?', 'name') }
          : { step2: ask('Step 2: What is your favorite color?', 'color') },
        requestState: await states.mint(isFirst ? 'round 1' : 'round 2'),
      })
    },
    test_input_required_result_capabilities: (ctx) => {
      const { sampling, elicitation } = capabilitiesOf(ctx)
      return inputRequired({
        inputRequests: {
          ...(sampling !== undefined && { capital_question: askForCapital() }),
          ...(elicitation !== undefined && { user_name: ask('What is your name?', 'name') }),
        },
      })
    },
  }

  const schemas: Record<string, object> = {
    json_schema_2020_12_tool: jsonSchema2020,
    test_custom_headers: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    },
  }

  const factory = () => {
    const server = new McpServer(
      { name: 'worklore-conformance', version: '1.0.0' },
      {
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { subscribe: true },
          logging: {},
          completions: {},
        },
        requestState: { verify: states.verify },
      },
    )
    for (const [name, handle] of Object.entries(toolHandlers)) {
      const inputSchema = fromJsonSchema({ type: 'object', properties: {} })
      server.registerTool(name, { description: name, inputSchema }, ((
        args: Record<string, unknown>,
        ctx: ServerContext,
      ) => handle(ctx, args)) as never)
    }
    for (const [name, schema] of Object.entries(schemas)) {
      const inputSchema = fromJsonSchema(schema as never)
      server.registerTool(name, { description: name, inputSchema }, (() => text('Understood.')) as never)
    }

    const prompt = (
      name: string,
      args: string[],
      get: (args: Record<string, string>, ctx: ServerContext) => unknown,
    ) => {
      const properties = Object.fromEntries(args.map((each) => [each, { type: 'string', description: each }]))
      const argsSchema = fromJsonSchema({ type: 'object', properties, required: args } as never)
      const declared = { description: name, ...(args.length > 0 && { argsSchema }) }
      const handle = args.length > 0 ? get : (ctx: ServerContext) => get({}, ctx)
      server.registerPrompt(name, declared as never, handle as never)
    }
    const says = (...content: object[]) => ({ messages: content.map((each) => ({ role: 'user', content: each })) })
    prompt('test_simple_prompt', [], () => says({ type: 'text', text: 'This is a simple prompt for testing.' }))
    prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) =>
      says({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
    )
    prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri }) =>
      says(
        {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        { type: 'text', text: 'Please process the embedded resource above.' },
      ),
    )
    prompt('test_prompt_with_image', [], () =>
      says(
        { type: 'image', data: pixel, mimeType: 'image/png' },
        { type: 'text', text: 'Please analyze the image above.' },
      ),
    )
    prompt('test_input_required_result_prompt', [], (_args, { mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, 'user_context')
      if (answer) return says({ type: 'text', text: `Context: ${answer.context}` })
      return inputRequired({ inputRequests: { user_context: ask('What context should the prompt use?', 'context') } })
    })
    server.server.setRequestHandler('completion/complete', () => ({
      completion: { values: [], total: 0, hasMore: false },
    }))

    server.server.setRequestHandler('resources/subscribe', () => ({}))
    server.server.setRequestHandler('resources/unsubscribe', () => ({}))
    server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, (uri) => ({
      contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }))
    server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, (uri) => ({
      contents: [{ uri: uri.href, mimeType: 'image/png', blob: pixel }],
    }))
    const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
    server.registerResource('template', template, { mimeType: 'application/json' }, (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }))
    return server
  }
  return { factory, bus }
}
