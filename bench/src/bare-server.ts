import type { AddressInfo } from 'node:net'
import fastify from 'fastify'

/** What the driver tells the bare server to answer from now on. */
export interface BareAnswer {
  status: number
  body: string
}

let answer: BareAnswer = { status: 200, body: '' }
const app = fastify()

const paths = [
  '/v1/tasks',
  '/v1/tasks/:taskId',
  '/v1/tasks/:taskId/:action',
  '/v1/tasks/next',
  '/v1/tasks/search',
  '/v1/batch',
  '/v1/knowledge',
  '/v1/knowledge/*',
]
/** The least a Fastify service can do: find the route, parse a body, send the bytes. */
for (const url of paths) {
  app.route({
    method: ['GET', 'POST', 'PATCH', 'PUT'],
    url,
    handler: (_request, reply) =>
      reply.code(answer.status).header('content-type', 'application/json; charset=utf-8').send(answer.body),
  })
}

process.on('message', (message: BareAnswer) => {
  answer = message
  process.send!('ready')
})
process.on('disconnect', () => process.exit(0))

await app.listen({ host: '127.0.0.1', port: 0 })
process.send!({ port: (app.server.address() as AddressInfo).port })
