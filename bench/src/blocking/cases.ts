export interface LoadRequest {
  method: string
  path: string
  body?: unknown
}

export interface BlockingCase {
  name: string
  /** Creates the records that the measured requests need. The first two requests are sent one by one. */
  setup: LoadRequest[]
  /** Requests that are sent at the same time, each over its own connection. */
  requests: LoadRequest[]
}

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

const get = (path: string): LoadRequest => ({ method: 'GET', path })
const post = (path: string, body: unknown): LoadRequest => ({ method: 'POST', path, body })
const put = (path: string, content: string): LoadRequest => ({ method: 'PUT', path, body: { content } })

const call = (name: string, args: object): LoadRequest =>
  post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

/** Returns a text of words and lines, like a note. */
const prose = (length: number): string =>
  'The deployment of the north cluster runs at night.\n'.repeat(length / 50).slice(0, length)

const project = (key: string): LoadRequest => post('/v1/projects', { key, name: key })
const largeNotes = times(8, (at) => put(`/v1/knowledge/large/${at}`, prose(1_000_000)))
const largeTasks = [
  project('LARGE'),
  ...times(50, (at) => post('/v1/tasks', { projectId: 'LARGE', title: `Task ${at}`, description: prose(60_000) })),
]
const comments = [
  project('TALK'),
  post('/v1/tasks', { projectId: 'TALK', title: 'Talk' }),
  ...times(60, () => post('/v1/tasks/TALK-1/comments', { body: prose(60_000) })),
]

const pages = '/v1/knowledge?prefix=large/&limit=100'
const listed = call('list_tasks', { project: 'LARGE', limit: 50 })
const read = call('read_knowledge', { key: 'large/1' })

/** Requests that cost the service as much as its limits allow, sent one at a time and many at once. */
export const cases: readonly BlockingCase[] = [
  { name: '64 × MCP read_knowledge of 1 MB', setup: largeNotes, requests: times(64, () => read) },
  { name: '64 × pages of 8 MB of knowledge', setup: [], requests: times(64, () => get(pages)) },
  {
    name: '64 × pages of comments of 60 kB',
    setup: comments,
    requests: times(64, () => get('/v1/tasks/TALK-1/comments?limit=100')),
  },
  { name: '64 × MCP list_tasks of 60 kB', setup: largeTasks, requests: times(64, () => listed) },
  {
    name: '64 × pages of tasks of 60 kB',
    setup: [],
    requests: times(64, () => get('/v1/tasks?projectId=LARGE&limit=100')),
  },
  { name: 'a page of 8 MB of knowledge', setup: [], requests: [get(pages)] },
  { name: 'MCP list_tasks of 60 kB', setup: [], requests: [listed] },
  { name: 'MCP read_knowledge of 1 MB', setup: [], requests: [read] },
  {
    name: 'a batch of 14 patches of notes of 1 MB',
    setup: times(14, (at) => put(`/v1/knowledge/batch/${at}`, prose(1_000_000))),
    requests: [
      post('/v1/batch', {
        operations: times(14, (at) => ({
          method: 'PATCH',
          path: `/v1/knowledge/batch/${at}`,
          body: { tags: [String(process.pid), String(at)] },
        })),
      }),
    ],
  },
  {
    name: 'usage of 6,000 workers',
    setup: [
      project('WORK'),
      ...times(6_000, (at) => post('/v1/tasks', { projectId: 'WORK', title: `t${at}` })),
      ...times(6_000, (at) => post(`/v1/tasks/WORK-${at + 1}/claim`, { worker: `worker-${at}-${'w'.repeat(40)}` })),
      ...times(6_000, (at) => post(`/v1/tasks/WORK-${at + 1}/release`, {})),
    ],
    requests: [get('/v1/usage?by=key')],
  },
  {
    name: '4 × MCP messages of 4 MB',
    setup: [],
    requests: times(4, (at) => call('write_knowledge', { key: `too-large/${at}`, content: prose(4_000_000) })),
  },
  {
    name: '4 × MCP messages of 4 MB of escapes',
    setup: [],
    requests: times(4, (at) => call('write_knowledge', { key: `too-large/${at}`, content: '\u0001'.repeat(650_000) })),
  },
  {
    name: '4 × puts of 1 MB',
    setup: [],
    requests: times(4, (at) => put(`/v1/knowledge/put/${at}`, prose(1_000_000 - 10 - at))),
  },
]
