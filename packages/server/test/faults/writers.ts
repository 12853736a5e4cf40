import assert from 'node:assert/strict'
import { type Answer, type RequestOptions, send, testAdminKey } from 'worklore-testing/harness'
import { newToken, noteContent, noteKey, taskFields } from './content.js'
import type { Entry, Kind, Ledger } from './ledger.js'

export const faultsProject = 'FAULT'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** An answer that tells what became of the request; a 5xx or a broken connection does not. */
const definite = async (request: Promise<Answer>): Promise<Answer | undefined> => {
  const answer = await request.catch(() => undefined)
  return answer && answer.status < 500 ? answer : undefined
}

export const createWriters = (ledger: Ledger, baseUrls: () => readonly string[]) => {
  let turn = 0
  const call = (method: string, path: string, options: RequestOptions = {}): Promise<Answer | undefined> => {
    const urls = baseUrls()
    return definite(send(urls[turn++ % urls.length]!, method, path, { key: testAdminKey, ...options }))
  }

  /** Asks for a change and notes what came of it. */
  const ask = async (
    entry: Entry,
    revision: number | null,
    statuses: readonly number[],
    request: () => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> => {
    entry.unanswered = { revision }
    const answer = await request()
    if (!answer) {
      ledger.unansweredWrites++
      await pause(500)
      return undefined
    }
    assert.ok(statuses.includes(answer.status), `${entry.kind} ${entry.token}: ${answer.status} ${answer.text}`)
    entry.acknowledged = revision
    entry.unanswered = undefined
    ledger.acknowledgedWrites++
    return answer
  }

  const createTask = async (entry: Entry): Promise<void> => {
    const fields = taskFields({ token: entry.token, revision: 1 })
    const answer = await ask(entry, 1, [201], () =>
      call('POST', '/v1/tasks', {
        body: { projectId: faultsProject, ...fields },
        headers: { 'idempotency-key': entry.idempotencyKey },
      }),
    )
    if (!answer) return
    entry.id = answer.body.data.id
    const { title, description, status, priority, labels } = answer.body.data
    assert.deepEqual({ title, description, status, priority, labels }, fields)
  }

  const write = async (entry: Entry, revision: number): Promise<void> => {
    const mark = { token: entry.token, revision }
    if (entry.kind === 'task' && revision === 1) return createTask(entry)
    await (entry.kind === 'task'
      ? ask(entry, revision, [200], () => call('PATCH', `/v1/tasks/${entry.id}`, { body: taskFields(mark) }))
      : ask(entry, revision, [200, 201], () =>
          call('PUT', `/v1/knowledge/${noteKey(entry.token)}`, { body: { content: noteContent(mark) } }),
        ))
  }

  const remove = async (entry: Entry): Promise<void> => {
    const path = entry.kind === 'task' ? `/v1/tasks/${entry.id}` : `/v1/knowledge/${noteKey(entry.token)}`
    await ask(entry, null, [200], () => call('DELETE', path))
  }

  const begin = async (own: Entry[]): Promise<void> => {
    const kind: Kind = Math.random() < 0.7 ? 'task' : 'note'
    const token = newToken()
    const entry: Entry = {
      kind,
      token,
      id: undefined,
      acknowledged: null,
      unanswered: undefined,
      idempotencyKey: `create-${token}`,
    }
    ledger.entries.set(token, entry)
    own.push(entry)
    await write(entry, 1)
  }

  const goOn = async (own: Entry[]): Promise<void> => {
    const at = Math.floor(Math.random() * own.length)
    const entry = own[at]!
    if (entry.unanswered || entry.acknowledged === null) own.splice(at, 1)
    else if (Math.random() < 0.2) await remove(entry)
    else await write(entry, entry.acknowledged + 1)
  }

  /** One writer after another in the same place; each changes only records of its own, so it knows what they are. */
  const run = async (isOver: () => boolean): Promise<void> => {
    const own: Entry[] = []
    while (!isOver()) await (own.length === 0 || Math.random() < 0.6 ? begin(own) : goOn(own))
  }

  return {
    run: (count: number, isOver: () => boolean) => Promise.all(Array.from({ length: count }, () => run(isOver))),
    /** Sends again what had no answer, under the same idempotency key: it must be there once, not twice. */
    createAgain: async (most: number): Promise<void> => {
      const isOpen = ({ kind, id, unanswered }: Entry): boolean => kind === 'task' && id === undefined && !!unanswered
      const open = [...ledger.entries.values()].filter(isOpen).slice(0, most)
      await Promise.all(open.map(createTask))
    },
  }
}
