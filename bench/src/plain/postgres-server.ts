import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import postgres from 'postgres'
import { adminKey } from '../service-process.js'

/** The tasks of the plain program on PostgreSQL: one table, an index for its list and one of words. */
const [url = ''] = process.argv.slice(2)
const sql = postgres(url, { max: 10, onnotice: () => {} })
await sql.unsafe(`
  create schema plain;
  create table plain.tasks (
    id bigint generated always as identity primary key, project text, status text, doc text, created_at bigint,
    words tsvector generated always as (to_tsvector('simple', doc)) stored
  );
  create index on plain.tasks (project, status, created_at);
  create index on plain.tasks using gin (words);
  create table plain.keys (hash text primary key, tenant text);
`)
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex')
await sql`insert into plain.keys (hash, tenant) values (${hashOf(adminKey)}, 'default')`

const json = 'application/json; charset=utf-8'
const app = fastify()

app.addHook('onRequest', async (request, reply) => {
  const key = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
  const [known] = await sql`select tenant from plain.keys where hash = ${hashOf(key)}`
  if (!known) return reply.code(401).send({ error: 'unknown key' })
})

app.post<{ Body: { projectId: string; title: string; description: string; status: string } }>(
  '/v1/tasks',
  async ({ body }, reply) => {
    const now = new Date().toISOString()
    const doc = JSON.stringify({ ...body, version: 1, createdAt: now, updatedAt: now })
    const [made] = await sql`insert into plain.tasks (project, status, doc, created_at)
      values (${body.projectId}, ${body.status}, ${doc}, ${Date.now()}) returning id`
    return reply
      .code(201)
      .type(json)
      .send(`{"data":{"id":${made!.id},${doc.slice(1)}}`)
  },
)
app.get<{ Params: { id: string } }>('/v1/tasks/:id', async ({ params }, reply) => {
  const [task] = await sql`select doc from plain.tasks where id = ${params.id.split('-')[1]!}`
  return reply.type(json).send(`{"data":${task!.doc}}`)
})
app.get<{ Querystring: { projectId: string; status: string } }>('/v1/tasks', async ({ query }, reply) => {
  const { projectId, status } = query
  const rows = await sql`select doc from plain.tasks where project = ${projectId} and status = ${status}
    order by created_at desc limit 50`
  const [counted] = await sql`select count(*) as total from plain.tasks
    where project = ${projectId} and status = ${status}`
  const data = rows.map(({ doc }) => doc).join(',')
  return reply.type(json).send(`{"data":[${data}],"pagination":{"total":${counted!.total}}}`)
})

process.on('disconnect', () => process.exit(0))
await app.listen({ host: '127.0.0.1', port: 0 })
process.send!({ port: (app.server.address() as AddressInfo).port })
