import { DatabaseSync } from '@photostructure/sqlite'
import { sqlitePath } from '../../../packages/server/dist/src/db/open.js'

/**
 * Copies the tasks that are there many times over, in SQL alone: a hundred times faster than to write them one by one,
 * and the same to whoever lists them. Their texts repeat, so this says nothing about search.
 */
export const multiplyTasks = (dataDir: string, copies: number, onProgress: (done: number) => void): void => {
  const db = new DatabaseSync(sqlitePath({ dataDir, databaseUrl: undefined, poolSize: 1 }))
  db.exec('pragma synchronous = off; pragma cache_size = -1000000; pragma wal_autocheckpoint = 100000')
  const { most } = db.prepare('select max(number) as most from tasks').get() as { most: number }
  for (let copy = 1; copy < copies; copy++) {
    const number = `number + ${copy * most}`
    const later = copy * 3_600_000
    db.exec(`begin;
      insert into tasks (tenant_id, id, project_id, number, status, priority, assignee_id, due_at, created_at, updated_at,
                         version, doc)
      select tenant_id, substr(id, 1, instr(id, '-')) || (${number}), project_id, ${number}, status, priority,
             assignee_id, due_at, created_at + ${later}, updated_at + ${later}, version, doc
      from tasks where number <= ${most};
      insert into task_labels (tenant_id, label, created_at, project_id, number, task_id, assignee_id)
      select tenant_id, label, created_at + ${later}, project_id, ${number},
             substr(task_id, 1, instr(task_id, '-')) || (${number}), assignee_id
      from task_labels where number <= ${most};
      commit`)
    onProgress(copy + 1)
  }
  db.exec(`update projects set last_number = last_number * ${copies}`)
  db.close()
}
