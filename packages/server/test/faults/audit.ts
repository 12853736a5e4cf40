import assert from 'node:assert/strict'
import type { Db } from '../../src/db/port.js'
import { parseMeta, type StoredMeta } from '../../src/work/knowledge/stored-meta.js'
import { parseDoc, type StoredDoc } from '../../src/work/tasks/json-store.js'
import { markOf, noteContent, noteKey, taskFields } from './content.js'
import type { Entry, Ledger } from './ledger.js'
import { faultsProject } from './writers.js'

interface EventRow {
  sequence: number
  type: string
  subject: string
  data: string
}

interface TaskRow {
  id: string
  number: number
  status: string
  version: number
  doc: StoredDoc
}

interface NoteRow {
  key: string
  version: number
  meta: StoredMeta
  content: string
}

/** Of what the events tell: the version a record is at, and whether it is there. */
interface Told {
  version: number
  isThere: boolean
  data: unknown
}

/** Reads the log from where the last audit ended, and follows it as any consumer would. */
const createLogReader = () => {
  const told = new Map<string, Told>()
  let position = 0
  let createdTasks = 0

  const follow = ({ sequence, type, subject, data }: EventRow): void => {
    assert.equal(sequence, position + 1, 'the log has no gap and no repeat')
    position = sequence
    const [kind, change] = type.split('.')
    if (kind !== 'task' && kind !== 'knowledge') return
    const record = JSON.parse(data)
    const name = `${kind} ${subject}`
    const before = told.get(name)
    if (change === 'created') {
      assert.ok(!before?.isThere, `${name} is created once`)
      assert.equal(record.version, (before?.version ?? 0) + 1, `${name} begins after its last version`)
      if (kind === 'task') createdTasks++
    } else {
      assert.ok(before?.isThere, `${name} was there before it was ${change}`)
      assert.equal(record.version, before.version + (change === 'updated' ? 1 : 0), `${name} changes step by step`)
    }
    told.set(name, { version: record.version, isThere: change !== 'deleted', data: record })
  }

  return {
    told,
    createdTasks: () => createdTasks,
    read: async (db: Db, tenantId: string): Promise<number> => {
      for (;;) {
        const rows = await db.all<EventRow>(
          'select sequence, type, subject, data from events where tenant_id = ? and sequence > ? order by sequence limit 5000',
          [tenantId, position],
        )
        if (rows.length === 0) return position
        for (const row of rows) follow(row)
      }
    },
  }
}

const checkEntry = (entry: Entry, found: number | null): void => {
  const possible = [entry.acknowledged, ...(entry.unanswered ? [entry.unanswered.revision] : [])]
  assert.ok(
    possible.includes(found),
    `${entry.kind} ${entry.token} is at revision ${found}, but what was acknowledged allows ${possible.join(' or ')}`,
  )
  entry.acknowledged = found
  entry.unanswered = undefined
}

/** Holds the store against everything that was acknowledged, and against itself. */
export const createAudit = (ledger: Ledger) => {
  const log = createLogReader()

  const checkTasks = async (db: Db, tenantId: string, found: Map<string, number>): Promise<void> => {
    const labels = new Map<string, Set<string>>()
    const labelRows = await db.all<{ task_id: string; label: string }>(
      'select task_id, label from task_labels where tenant_id = ?',
      [tenantId],
    )
    for (const { task_id, label } of labelRows) labels.set(task_id, (labels.get(task_id) ?? new Set()).add(label))
    const rows = await db.all<TaskRow>('select id, number, status, version, doc from tasks where tenant_id = ?', [
      tenantId,
    ])
    let thereByLog = 0
    for (const [name, { isThere }] of log.told) if (isThere && name.startsWith('task ')) thereByLog++
    assert.equal(rows.length, thereByLog, 'the log and the table have the same tasks')
    for (const row of rows) {
      const doc = parseDoc(row.doc)
      const mark = markOf(doc.title)
      assert.ok(mark, `a task that no one wrote: ${row.doc}`)
      const { title, description, status, priority, labels: docLabels } = doc
      assert.deepEqual({ title, description, status, priority, labels: docLabels }, taskFields(mark), 'a task is whole')
      assert.equal(row.id, `${faultsProject}-${row.number}`)
      assert.equal(row.status, status)
      assert.deepEqual([...(labels.get(row.id) ?? [])].sort(), [...docLabels].sort())
      const {
        assignee: _,
        claim: _c,
        openBlockers: _o,
        children: _h,
        commentCount: _n,
        openQuestions: _q,
        stale: _s,
        rank: _r,
        ...told
      } = log.told.get(`task ${row.id}`)!.data as Record<string, unknown>
      assert.deepEqual(told, doc, 'the log tells the task as it is')
      assert.ok(!found.has(mark.token), `task ${mark.token} is there twice`)
      found.set(mark.token, mark.revision)
      const entry = ledger.entries.get(mark.token)
      assert.ok(entry, `a task that no one wrote: ${title}`)
      entry.id ??= row.id
      assert.equal(row.id, entry.id)
    }
  }

  const checkNotes = async (db: Db, tenantId: string, found: Map<string, number>): Promise<void> => {
    const rows = await db.all<NoteRow>('select key, version, meta, content from knowledge where tenant_id = ?', [
      tenantId,
    ])
    let thereByLog = 0
    for (const [name, { isThere }] of log.told) if (isThere && name.startsWith('knowledge ')) thereByLog++
    assert.equal(rows.length, thereByLog, 'the log and the table have the same notes')
    for (const row of rows) {
      const content = JSON.parse(row.content)
      const mark = markOf(content)
      assert.ok(mark, `a note that no one wrote: ${row.key}`)
      assert.equal(content, noteContent(mark), 'a note is whole')
      assert.equal(row.key, noteKey(mark.token))
      const told = log.told.get(`knowledge ${row.key}`)!.data
      assert.deepEqual(
        told,
        { ...parseMeta(row.meta), supersedes: [], supersededBy: null, state: 'current', stale: [], content },
        'the log tells the note as it is',
      )
      assert.ok(ledger.entries.has(mark.token), `a note that no one wrote: ${row.key}`)
      found.set(mark.token, mark.revision)
    }
  }

  const checkNumbers = async (db: Db, tenantId: string): Promise<void> => {
    const project = await db.get<{ last_number: number }>(
      'select last_number from projects where tenant_id = ? and key = ?',
      [tenantId, faultsProject],
    )
    assert.equal(project!.last_number, log.createdTasks(), 'every number was given out once')
    const ids = [...ledger.entries.values()].flatMap(({ id }) => (id === undefined ? [] : [id]))
    assert.equal(new Set(ids).size, ids.length, 'no two tasks share an id')
  }

  const checkStore = async (db: Db): Promise<void> => {
    if (db.dialect.name !== 'sqlite') return
    const [soundness] = await db.all<{ integrity_check: string }>('pragma integrity_check')
    assert.equal(soundness?.integrity_check, 'ok')
    assert.equal((await db.all('pragma foreign_key_check')).length, 0)
  }

  return async (db: Db): Promise<{ events: number; tasks: number }> => {
    const tenant = await db.get<{ tenant_id: string; last_sequence: number }>(
      "select tenant_id, last_sequence from tenants where name = 'default'",
    )
    const { tenant_id: tenantId, last_sequence: lastSequence } = tenant!
    assert.equal(await log.read(db, tenantId), lastSequence, 'the log ends where the tenant says')
    const found = new Map<string, number>()
    await checkTasks(db, tenantId, found)
    await checkNotes(db, tenantId, found)
    for (const entry of ledger.entries.values()) checkEntry(entry, found.get(entry.token) ?? null)
    await checkNumbers(db, tenantId)
    await checkStore(db)
    return { events: lastSequence, tasks: found.size }
  }
}
