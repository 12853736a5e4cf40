import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from '@photostructure/sqlite'
import fastify from 'fastify'
import { adminKey } from '../service-process.js'
import { statuses } from './records.js'

/**
 * What one would write in an afternoon: Fastify, SQLite and its full-text index FTS5, with hashed keys, validated requests
 * and durable writes. It has no limits, history, events, claims or ids of its own, and its search knows no languages,
 * fields, phrases or typos.
 */
const [folder = '.'] = process.argv.slice(2)
const db = new DatabaseSync(`${folder}/plain.db`)
db.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table tasks (id integer primary key, project text, status text, doc text, created_at integer);
  create index tasks_by_status on tasks (project, status, created_at);
  create virtual table task_texts using fts5(title, description);
  create table items (id integer primary key, key text unique, doc text);
  create virtual table item_texts using fts5(content);
  create table keys (hash text primary key, tenant text);
`)

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex')
db.prepare('insert into keys (hash, tenant) values (?, ?)').run(hashOf(adminKey), 'default')
const findKey = db.prepare('select tenant from keys where hash = ?')

const insertTask = db.prepare('insert into tasks (project, status, doc, created_at) values (?, ?, ?, ?)')
const insertTaskText = db.prepare('insert into task_texts (rowid, title, description) values (?, ?, ?)')
const getTask = db.prepare('select doc from tasks where id = ?')
const listTasks = db.prepare('select doc from tasks where project = ? and status = ? order by created_at desc limit 50')
const countTasks = db.prepare('select count(*) as total from tasks where project = ? and status = ?')
const searchTasks = db.prepare(
  `select t.doc, bm25(task_texts) as score, snippet(task_texts, -1, '<mark>', '</mark>', '…', 30) as snippet
   from task_texts join tasks t on t.id = task_texts.rowid where task_texts match ? order by rank limit ?`,
)
const findItem = db.prepare('select id from items where key = ?')
const insertItem = db.prepare('insert into items (key, doc) values (?, ?)')
const updateItem = db.prepare('update items set doc = ? where id = ?')
const deleteItemText = db.prepare('delete from item_texts where rowid = ?')
const insertItemText = db.prepare('insert into item_texts (rowid, content) values (?, ?)')
const getItem = db.prepare('select doc from items where key = ?')
const searchItems = db.prepare(
  `select i.doc, bm25(item_texts) as score, snippet(item_texts, 0, '<mark>', '</mark>', '…', 30) as snippet
   from item_texts join items i on i.id = item_texts.rowid where item_texts match ? order by rank limit ?`,
)

interface Doc {
  doc: string
}
interface Hit extends Doc {
  score: number
  snippet: string
}
interface Search {
  Querystring: { q: string; limit: number }
}

const inTransaction = (work: () => void): void => {
  db.exec('begin immediate')
  work()
  db.exec('commit')
}

const answerOf = (hits: readonly Hit[]): string =>
  `{"data":[${hits.map(({ doc, ...rest }) => `{"record":${doc},${JSON.stringify(rest).slice(1)}`).join(',')}]}`

const json = 'application/json; charset=utf-8'
const text = { type: 'string', minLength: 1, maxLength: 100_000 }
const objectOf = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const searchSchema = {
  schema: { querystring: objectOf({ q: text, limit: { type: 'integer', minimum: 1, maximum: 50 } }) },
}
const taskFields = { projectId: text, title: text, description: text, status: { enum: statuses } }
const taskSchema = { schema: { body: objectOf(taskFields, ['projectId', 'title']) } }
const taskIdSchema = { schema: { params: objectOf({ id: { type: 'string', pattern: '^[A-Z]+-[0-9]+$' } }) } }
const listSchema = {
  schema: {
    querystring: objectOf(
      { projectId: text, status: { enum: statuses }, limit: { type: 'integer', minimum: 1, maximum: 50 } },
      ['projectId', 'status'],
    ),
  },
}
const itemSchema = { schema: { body: objectOf({ content: text }) } }

const app = fastify()

app.addHook('onRequest', (request, reply, done) => {
  const key = request.headers.authorization?.replace(/^Bearer /, '')
  if (key === undefined || findKey.get(hashOf(key)) === undefined) reply.code(401).send({ error: 'unknown key' })
  else done()
})

app.post<{ Body: { projectId: string; title: string; description: string; status?: string } }>(
  '/v1/tasks',
  taskSchema,
  ({ body }, reply) => {
    const now = new Date().toISOString()
    const status = body.status ?? 'todo'
    let doc = ''
    inTransaction(() => {
      const { lastInsertRowid: id } = insertTask.run(body.projectId, status, '', Date.now())
      doc = JSON.stringify({ id: Number(id), ...body, status, version: 1, createdAt: now, updatedAt: now })
      db.prepare('update tasks set doc = ? where id = ?').run(doc, id)
      insertTaskText.run(id, body.title, body.description)
    })
    return reply.code(201).type(json).send(`{"data":${doc}}`)
  },
)
app.get<{ Params: { id: string } }>('/v1/tasks/:id', taskIdSchema, ({ params }, reply) =>
  reply.type(json).send(`{"data":${(getTask.get(Number(params.id.split('-')[1])) as unknown as Doc).doc}}`),
)
app.get<{ Querystring: { projectId: string; status: string } }>('/v1/tasks', listSchema, ({ query }, reply) => {
  const rows = listTasks.all(query.projectId, query.status) as unknown as Doc[]
  const { total } = countTasks.get(query.projectId, query.status) as { total: number }
  return reply.type(json).send(`{"data":[${rows.map(({ doc }) => doc).join(',')}],"pagination":{"total":${total}}}`)
})
app.get<Search>('/v1/tasks/search', searchSchema, ({ query }, reply) =>
  reply.type(json).send(answerOf(searchTasks.all(query.q, query.limit) as unknown as Hit[])),
)
app.put<{ Params: { '*': string }; Body: { content: string } }>(
  '/v1/knowledge/*',
  itemSchema,
  ({ params, body }, reply) => {
    const key = params['*']
    const doc = JSON.stringify({ key, content: body.content, updatedAt: new Date().toISOString() })
    inTransaction(() => {
      const known = findItem.get(key) as { id: number } | undefined
      if (known) {
        updateItem.run(doc, known.id)
        deleteItemText.run(known.id)
      }
      const id = known?.id ?? insertItem.run(key, doc).lastInsertRowid
      insertItemText.run(id, body.content)
    })
    return reply.type(json).send(`{"data":${doc}}`)
  },
)
app.get<Search>('/v1/knowledge/search', searchSchema, ({ query }, reply) =>
  reply.type(json).send(answerOf(searchItems.all(query.q, query.limit) as unknown as Hit[])),
)
app.get<{ Params: { '*': string } }>('/v1/knowledge/*', ({ params }, reply) =>
  reply.type(json).send(`{"data":${(getItem.get(params['*']) as unknown as Doc).doc}}`),
)

process.on('disconnect', () => process.exit(0))
await app.listen({ host: '127.0.0.1', port: 0 })
process.send!({ port: (app.server.address() as AddressInfo).port })
