import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { engines } from 'worklore-testing/engines'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { type ConnectedClient, generations } from 'worklore-testing/mcp-clients'

const wlProgram = fileURLToPath(new URL('../../../../cli/bin/wl.cjs', import.meta.url))

/** Members of a schema that are schemas themselves. */
const subschemasOf = (schema: object): unknown[] => {
  const {
    properties = {},
    $defs = {},
    items = [],
    anyOf = [],
    allOf = [],
    oneOf = [],
  } = schema as Record<string, object>
  return [properties, $defs, anyOf, allOf, oneOf].flatMap((group) => Object.values(group)).concat(items)
}

/** Some clients refuse a tool with `true` or `false` in place of a schema, which JSON Schema allows. */
const hasOnlyObjects = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && subschemasOf(schema).every(hasOnlyObjects)

describe('the official clients', () => {
  let wl: TestService
  let home: string
  before(async () => {
    wl = await startService(engines[0]!)
    home = mkdtempSync(join(tmpdir(), 'worklore-clients-'))
    await createProject(wl, { key: 'TOOL' })
    for (let at = 0; at < 6; at++) await createTask(wl, 'TOOL')
    await putItem(wl, 'tool/note', 'A note')
  })
  after(async () => {
    await wl.stop()
    rmSync(home, { recursive: true })
  })

  const environment = () => ({ WORKLORE_URL: wl.baseUrl, WORKLORE_KEY: wl.adminKey, HOME: home })
  const ways = generations.flatMap(({ revision, connect, connectToCommand }) => [
    { name: `${revision} over HTTP`, open: () => connect(wl, wl.adminKey) },
    {
      name: `${revision} over the bridge`,
      open: () => connectToCommand({ command: process.execPath, args: [wlProgram, 'mcp'], env: environment() }),
    },
  ])

  for (const [at, { name, open }] of ways.entries()) {
    it(`list and call every tool by ${name}`, async () => {
      // One task for each way, since a claim is given once.
      const id = `TOOL-${at + 1}`
      const claim = `${id}.1`
      const calls: Record<string, Record<string, unknown>> = {
        claim_task: { id },
        update_task: { id, claim },
        add_comment: { id, text: 'Hello' },
        ask_question: { id, text: 'Which one?' },
        get_task: { id },
        finish_task: { id, claim, outcome: 'done', summary: 'Done' },
        list_tasks: { project: 'TOOL', limit: 2 },
        create_task: { project: 'TOOL', title: 'New' },
        search: { query: 'note' },
        read_knowledge: { key: 'tool/note' },
        write_knowledge: { key: `tool/${id}`, content: 'Text' },
        list_knowledge: { prefix: 'tool/' },
        get_history: { of: 'me' },
      }
      const client: ConnectedClient = await open()
      try {
        const tools = await client.tools()
        assert.deepEqual(tools.map((tool) => tool.name).sort(), Object.keys(calls).sort())
        for (const { name: tool, inputSchema, outputSchema = {} } of tools) {
          assert.ok(hasOnlyObjects(inputSchema) && hasOnlyObjects(outputSchema), tool)
        }
        for (const [tool, args] of Object.entries(calls)) {
          const { text, isError } = await client.call(tool, args)
          assert.ok(!isError && text.length > 0, `${tool}: ${text}`)
        }
      } finally {
        await client.close()
      }
    })
  }
})
