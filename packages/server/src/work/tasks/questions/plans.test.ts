import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { migrate } from '../../../db/migrate.js'
import { openDb } from '../../../db/open.js'
import type { Db, Sql, Value } from '../../../db/port.js'
import { listQuestions, type QuestionFilter } from './store.js'

const none: QuestionFilter = { state: undefined, toUserId: undefined, taskId: undefined, projectIds: null }

/** What questions are listed by, and the index that must carry it from the first to the last. */
const lists: readonly [Partial<QuestionFilter>, index: string][] = [
  [{}, 'questions_by_state'],
  [{ state: 'open' }, 'questions_by_state'],
  [{ state: 'open', projectIds: ['prj_1', 'prj_2'] }, 'questions_by_state'],
  [{ projectIds: ['prj_1'] }, 'questions_of_project'],
  [{ state: 'open', projectIds: ['prj_1'] }, 'questions_of_project'],
  [{ state: 'open', toUserId: 'usr_1' }, 'questions_to_user'],
  [{ taskId: 'ACME-1' }, 'questions_of_task'],
]

const explain = async (db: Db, text: string, params: readonly Value[]): Promise<string> => {
  if (db.dialect.name === 'sqlite') {
    const rows = await db.all<{ detail: string }>(`explain query plan ${text}`, params)
    return rows.map(({ detail }) => detail).join('\n')
  }
  return db.transaction(async (tx) => {
    // A table this small is read whole unless that is ruled out.
    for (const way of ['seqscan', 'bitmapscan']) await tx.run(`set local enable_${way} = off`)
    const rows = await tx.all<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, params)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
}

for (const engine of engines) {
  describe(`plans of lists of questions on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store)
      await migrate(db)
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    for (const [filter, index] of lists) {
      it(`go along ${index} for ${JSON.stringify(filter)}`, async () => {
        let plan = ''
        const all: Sql['all'] = async (text, params = []) => {
          plan = await explain(db, text, params)
          return []
        }
        await listQuestions({ ...db, all }, 'ten_1', { ...none, ...filter }, undefined, 51)
        // Which of two indexes PostgreSQL takes depends on its statistics.
        if (engine.name === 'sqlite') assert.match(plan, new RegExp(`SEARCH q USING INDEX ${index} \\(tenant_id=`))
        else assert.match(plan, /Index Scan.* using questions_/)
        assert.doesNotMatch(plan, /SCAN q\b|Seq Scan on questions/)
      })
    }
  })
}
