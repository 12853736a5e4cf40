import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import type { Answer } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { exampleOf, fillPath, type Operation, pathParametersOf, readOperations } from 'worklore-testing/operations'
import { describeTenant } from 'worklore-testing/service-suite'
import { request } from '../mcp/messages.js'
import {
  type Caller,
  createCast,
  createProjects,
  createRecords,
  marker,
  type Records,
  type Visibility,
} from './roles-cast.js'
import { missingLike } from './two-tenants.js'

const visibilities: readonly Visibility[] = ['tenant', 'private']

/** What belongs to a project, as paths, queries and bodies name it. */
const inProject: readonly (keyof Records)[] = ['projectId', 'taskId', 'key', 'commentId', 'questionId', 'entryId']

/** Bodies that an example of the document does not make. */
const bodies: Record<string, (records: Records) => object> = {
  restoreVersion: ({ taskId }) => ({ task: taskId, version: 1 }),
  moveTask: ({ projectId }) => ({ projectId }),
  rankTask: () => ({ to: 'top' }),
  answerQuestion: () => ({ body: 'yes' }),
  decideCheck: () => ({ state: 'passed', evidence: 'seen' }),
  moveKnowledge: ({ key, projectId }) => ({ from: key, to: `${key}/moved`, projectId }),
  judgeKnowledge: ({ key, projectId }) => ({ key, projectId, version: 1, trust: 'disputed' }),
  retractKnowledge: ({ key, projectId }) => ({ key, projectId, reason: 'wrong' }),
  acceptStaleKnowledge: ({ key, projectId }) => ({ key, projectId }),
  putKnowledge: ({ projectId }) => ({ content: 'other', projectId }),
  createTask: ({ projectId }) => ({ projectId, title: 'new' }),
  nextTask: ({ projectId }) => ({ projectId }),
  updateTask: () => ({ title: 'new' }),
  patchKnowledge: () => ({ title: 'new' }),
  runBatch: ({ taskId }) => ({
    operations: [{ method: 'PATCH', path: `/v1/tasks/${taskId}`, body: { title: 'new' } }],
  }),
}

/** Queries without which a request is not about the project. */
const queries: Record<string, (records: Records) => Record<string, string>> = {
  listTasks: ({ projectId }) => ({ projectId }),
  listTaskCards: ({ projectId }) => ({ projectId }),
  countTasks: ({ projectId }) => ({ projectId }),
  searchTasks: ({ projectId }) => ({ q: 'zebra', projectId }),
  listReservations: ({ projectId }) => ({ projectId }),
  listQuestions: ({ projectId }) => ({ projectId }),
  listKnowledge: ({ projectId }) => ({ projectId }),
  searchKnowledge: ({ projectId }) => ({ q: 'zebra', projectId }),
  searchEverything: ({ projectId }) => ({ q: 'zebra', projectId }),
  listDependents: ({ key, projectId }) => ({ key, projectId }),
  listLinks: ({ key, projectId }) => ({ key, projectId }),
  listHistory: ({ taskId }) => ({ task: taskId }),
  listEvents: ({ projectId }) => ({ projectId }),
  listTrash: ({ projectId }) => ({ projectId }),
  getKnowledge: ({ projectId }) => ({ projectId }),
  patchKnowledge: ({ projectId }) => ({ projectId }),
  deleteKnowledge: ({ projectId }) => ({ projectId }),
  deleteProject: () => ({ force: 'true' }),
}

/** What is about no project's records, or is tried with the lists. */
const elsewhere: readonly string[] = [
  ...[
    'listProjects',
    'createProject',
    'getMe',
    'getTenant',
    'updateTenant',
    'listAudit',
    'getUsage',
    'emptyTrash',
    'undo',
    'listInbox',
    'readInbox',
  ],
  ...['listUsers', 'createUser', 'getUser', 'updateUser', 'deleteUser'],
  ...['listKeys', 'createKey', 'getKey', 'updateKey', 'revokeKey', 'rotateKey', 'revokeSecret'],
  ...['createConsoleLink', 'listSessions', 'endSession'],
  ...['listWebhooks', 'createWebhook', 'getWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhookSecret'],
  ...['listWebhookDeliveries', 'getWebhookDelivery'],
]

/** Operations on other projects' settings, users, keys and so on, which roles in a project say nothing about. */
const isAboutProject = (operation: Operation): boolean =>
  pathParametersOf(operation).some((name) => (inProject as readonly string[]).includes(name)) ||
  operation.id in bodies ||
  operation.id in queries

/** What can be done to a record once. */
const once: readonly string[] = [
  ...['deleteTask', 'deleteComment', 'deleteKnowledge', 'moveKnowledge', 'moveTask'],
  ...['answerQuestion', 'withdrawQuestion', 'restoreTrashEntry', 'restoreVersion'],
]

/** Whatever says that the caller may not, or that there is no such thing. */
const isRefused = ({ status }: Answer): boolean => status === 403 || status === 404

describeTenant('roles', (wl, engine) => {
  let operations: Operation[]
  let projects: Record<Visibility, string>
  let cast: Caller[]
  const records = {} as Record<Visibility, Records>

  const send = (operation: Operation, given: Records, { secret }: Pick<Caller, 'secret'>): Promise<Answer> => {
    const { id, method, template, body, parameters } = operation
    const claim = parameters.some(({ name, required }) => name === 'Worklore-Claim' && required)
    const path = fillPath(template, (name) => (given as Record<string, string>)[name] ?? 'usr_none')
    const query = new URLSearchParams(queries[id]?.(given)).toString()
    return wl.request(method, query === '' ? path : `${path}?${query}`, {
      key: secret,
      ...(body && { body: bodies[id]?.(given) ?? exampleOf(body, { ...given }) }),
      ...(claim && { headers: { 'worklore-claim': `${given.taskId}.1` } }),
    })
  }

  before(async () => {
    operations = (await readOperations(wl)).filter(isAboutProject)
    projects = await createProjects(wl)
    cast = await createCast(wl, projects)
    for (const visibility of visibilities) records[visibility] = await createRecords(wl, projects[visibility])
  })

  const allCallersAt = (level: Caller['levels']['tenant']): [Caller, Visibility][] =>
    cast.flatMap((caller) =>
      visibilities.filter((each) => caller.levels[each] === level).map((each): [Caller, Visibility] => [caller, each]),
    )

  /** The short run tries each caller on only one engine. */
  const callersAt = (level: Caller['levels']['tenant']): [Caller, Visibility][] =>
    allCallersAt(level).filter((_, at) => inLongRun(engines[at % engines.length] === engine, true))

  it('are tried at every operation', async () => {
    const all = await readOperations(wl)
    const untried = all.filter((operation) => !isAboutProject(operation)).map(({ id }) => id)
    for (const id of [...Object.keys(bodies), ...Object.keys(queries), ...once])
      assert.ok(
        all.some((operation) => operation.id === id),
        `there is no operation ${id}`,
      )
    assert.deepEqual(
      untried.filter((id) => !elsewhere.includes(id)),
      [],
      'say in bodies or queries how to name a record of a project, or that it is about none',
    )
  })

  it('make a project that one may not see answer as a missing one, at every operation', async () => {
    for (const [caller, visibility] of callersAt('absent')) {
      const there = records[visibility]
      const missing = Object.fromEntries(
        Object.entries(there).map(([name, id]) => [name, name === 'checkId' ? id : missingLike(id)]),
      ) as Records
      for (const operation of operations) {
        const [hidden, none] = [await send(operation, there, caller), await send(operation, missing, caller)]
        const alike = (text: string, given: Records): string =>
          Object.entries(given)
            .sort(([, one], [, other]) => other.length - one.length)
            .reduce((all, [name, id]) => all.replaceAll(id, `<${name}>`), text)
            .replace(/"requestId":"[^"]*"/, '')
        const what = `${operation.id} by ${caller.name}`
        assert.equal(alike(hidden.text, there), alike(none.text, missing), what)
        assert.ok(hidden.status >= 400, `${what}: ${hidden.text}`)
      }
    }
  })

  it('refuse whoever is limited to other projects, at every operation', async () => {
    for (const [caller, visibility] of callersAt('outside')) {
      for (const operation of operations) {
        const answer = await send(operation, records[visibility], caller)
        const what = `${operation.id} by ${caller.name}: ${answer.text}`
        assert.ok(isRefused(answer) || answer.status === 412, what)
      }
    }
  })

  it('let viewers read everything and write nothing but comments', async () => {
    const comments = ['createComment', 'updateComment', 'deleteComment']
    for (const [caller, visibility] of callersAt('view')) {
      const own = await createRecords(wl, projects[visibility], caller.secret)
      for (const operation of operations) {
        const answer = await send(operation, own, caller)
        const what = `${operation.id} by ${caller.name} (${visibility}): ${answer.text}`
        if (operation.scope === 'admin') assert.equal(answer.body.error?.requiredScope, 'admin', what)
        else if (operation.method === 'GET' || comments.includes(operation.id)) assert.ok(answer.status < 300, what)
        // A claim that is not one's own is refused before.
        else if (answer.status === 412) assert.equal(answer.body.error.reason, 'claim_lost', what)
        else {
          assert.equal(answer.status, 403, what)
          assert.equal(answer.body.error.reason, 'role', what)
          assert.match(answer.body.error.message, /An admin can make you a member/)
        }
      }
    }
  })

  it('let members read and write everything that needs no admin', async () => {
    for (const [caller, visibility] of callersAt('write')) {
      let own = await createRecords(wl, projects[visibility], caller.secret)
      for (const operation of operations) {
        const isRead = operation.method === 'GET'
        const answer = await send(operation, own, caller)
        if (once.includes(operation.id)) own = await createRecords(wl, projects[visibility], caller.secret)
        const what = `${operation.id} by ${caller.name} (${visibility}): ${answer.text}`
        if (operation.scope === 'admin') assert.equal(answer.body.error?.requiredScope, 'admin', what)
        else if (answer.status === 403) assert.equal(answer.body.error.reason, 'verifier', what)
        else assert.notEqual(answer.status, 404, what)
        if (isRead && operation.scope !== 'admin') assert.equal(answer.status, 200, what)
      }
    }
  })

  it('let admins read everything', async () => {
    for (const [caller, visibility] of callersAt('admin')) {
      for (const operation of operations.filter(({ method }) => method === 'GET')) {
        const answer = await send(operation, records[visibility], caller)
        assert.equal(answer.status, 200, `${operation.id} by ${caller.name}: ${answer.text}`)
      }
    }
  })

  it('keep a private project out of every list, search and tool', async () => {
    const lists = (await readOperations(wl)).filter(
      ({ method, template }) => method === 'GET' && !template.includes('{'),
    )
    const shown = ['ZZZ', ...Object.values(records.private).filter((id) => id !== 'c1')]
    const open = Object.values(records.tenant)
    const check = (text: string, what: string): void => {
      // The open project has records with the same words, and an id of any record may contain three Z by chance.
      for (const id of shown.filter((each) => !open.includes(each)))
        assert.doesNotMatch(text, new RegExp(`\\b${id.replaceAll(/\W/g, '\\$&')}\\b`), `${what} shows ${id}`)
    }
    for (const [caller] of callersAt('absent')) {
      for (const { id, template, parameters } of lists) {
        for (const query of [
          '',
          '?limit=100',
          '?q=zebra',
          '?q=ZZZ-1',
          '?order=desc',
          '?label=zebra',
          '?ready=true',
          '?kind=task',
        ]) {
          const name = /^\?(\w+)/.exec(query)?.[1]
          if (name && !parameters.some((each) => each.name === name)) continue
          check((await wl.get(`${template}${query}`, { key: caller.secret })).text, `${id}${query} to ${caller.name}`)
        }
      }
      const tools = [
        ...[
          ['list_projects', {}],
          ['list_tasks', {}],
          ['search', { query: 'zebra' }],
        ],
        ...[
          ['list_knowledge', {}],
          ['get_history', {}],
          ['whoami', {}],
        ],
      ] as const
      for (const [tool, args] of tools) {
        const { text } = await request(wl, 'tools/call', { name: tool, arguments: args }, { key: caller.secret })
        check(text, `${tool} to ${caller.name}`)
      }
      check((await request(wl, 'resources/list', {}, { key: caller.secret })).text, `resources to ${caller.name}`)
      const { data } = expectStatus(
        await wl.post('/v1/tasks/next', { peek: true, label: 'zebra' }, { key: caller.secret }),
        200,
      ).body
      assert.ok(data === null || data.projectId === projects.tenant, caller.name)
    }
    for (const [caller] of callersAt('view')) {
      const { data } = expectStatus(await wl.post('/v1/tasks/next', { peek: true }, { key: caller.secret }), 200).body
      assert.equal(data?.projectId === projects.private || data?.projectId === projects.tenant, false, caller.name)
    }
    assert.ok((await wl.get('/v1/projects?limit=100')).text.includes(marker))
  })
})
