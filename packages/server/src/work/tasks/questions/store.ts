import type { Json } from '../../../base/json.js'
import { onlyProjectOf, type ProjectSet } from '../../../base/project-set.js'
import type { Sql, Statement, Value } from '../../../db/port.js'
import { inProjects, ofVisibleProject } from '../../../db/project-conditions.js'
import { type Question, type QuestionState, questionStates } from './schema.js'

/** Questions of a deleted task stay until it is purged, and are shown again once it is restored. */
const isShown = `exists (select 1 from tasks t where t.tenant_id = :tenant and t.id = q.task_id)
  and ${ofVisibleProject('q')}`

export interface QuestionRow {
  project_id: string
  doc: Json<Question>
}

export const findQuestion = async (db: Sql, tenantId: string, id: string): Promise<QuestionRow | undefined> =>
  db.lookup(`select q.project_id, q.doc from questions q where q.tenant_id = ? and q.id = ? and ${isShown}`, [
    ...[tenantId, id],
  ])

export interface QuestionFilter {
  state: QuestionState | undefined
  toUserId: string | undefined
  taskId: string | undefined
  projectIds: ProjectSet
}

/** Sorts after every id. */
const beyond = '~'

/** Questions before one, the newest first. Each state is read along an index of its own. */
export const listQuestions = async (
  db: Sql,
  tenantId: string,
  { state, toUserId, taskId, projectIds }: QuestionFilter,
  before: string = beyond,
  count: number,
): Promise<{ id: string; doc: Json<Question> }[]> => {
  const onlyProject = onlyProjectOf(projectIds)
  const conditions: [text: string, param: Value][] = []
  if (toUserId !== undefined) conditions.push(['q.to_user_id = ?', toUserId])
  if (taskId !== undefined) conditions.push(['q.task_id = ?', taskId])
  else if (onlyProject !== undefined) conditions.push(['q.project_id = ?', onlyProject])
  const isAnyProject = taskId !== undefined || onlyProject !== undefined
  const [ofProjects, projects] = inProjects(db.dialect, 'q.project_id', isAnyProject ? null : projectIds)
  const texts = `${conditions.map(([text]) => ` and ${text}`).join('')}${ofProjects}`
  const source = `select * from (select q.id, q.doc from questions q
    where q.tenant_id = ? and q.state = ?${texts} and q.id < ? and ${isShown} order by q.id desc limit cast(? as bigint)) source`
  const states = state === undefined ? questionStates : [state]
  const params = [...conditions.map(([, param]) => param), ...projects]
  return db.all(`${states.map(() => source).join(' union all ')} order by id desc limit cast(? as bigint)`, [
    ...states.flatMap((each) => [tenantId, each, ...params, before, count]),
    count,
  ])
}

export const insertQuestion = (tenantId: string, projectId: string, question: Question): Statement => ({
  text: `insert into questions (tenant_id, id, task_id, project_id, state, to_user_id, version, doc)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
  params: [
    ...[tenantId, question.id, question.taskId, projectId, question.state, question.to, question.version],
    JSON.stringify(question),
  ],
})

export const updateQuestion = (tenantId: string, { id, state, to, version, ...rest }: Question): Statement => ({
  text: 'update questions set state = ?, to_user_id = ?, version = ?, doc = ? where tenant_id = ? and id = ?',
  params: [state, to, version, JSON.stringify({ id, state, to, version, ...rest }), tenantId, id],
})

const parsed = (rows: readonly { doc: string }[]): Question[] => rows.map(({ doc }) => JSON.parse(doc) as Question)

export const findOpenQuestions = async (db: Sql, tenantId: string, taskId: string): Promise<Question[]> =>
  parsed(
    await db.all<{ doc: string }>(
      `select doc from questions where tenant_id = ? and task_id = ? and state = 'open' order by id`,
      [tenantId, taskId],
    ),
  )

/** Some questions to a user, also of tasks that are deleted. */
export const findQuestionsTo = async (db: Sql, tenantId: string, userId: string, count: number): Promise<Question[]> =>
  parsed(
    await db.all<{ doc: string }>(
      'select doc from questions where tenant_id = ? and to_user_id = ? limit cast(? as bigint)',
      [...[tenantId, userId, count]],
    ),
  )

/** How many open questions tasks have, of those that have any. */
export const countOpen = async (
  db: Sql,
  tenantId: string,
  taskIds: readonly string[],
): Promise<{ taskId: string; count: number }[]> =>
  db.all(
    `select task_id as "taskId", cast(count(*) as bigint) as count from questions
     where tenant_id = ? and ${db.dialect.isAmong('task_id', 'text')} and state = 'open' group by task_id`,
    [tenantId, db.dialect.listOf(taskIds)],
  )

/** Questions go with their tasks to another project. */
export const moveQuestions = (db: Sql, tenantId: string, taskIds: readonly string[], projectId: string): Statement => ({
  text: `update questions set project_id = ? where tenant_id = ? and ${db.dialect.isAmong('task_id', 'text')}`,
  params: [projectId, tenantId, db.dialect.listOf(taskIds)],
})

const deleteSome = async (
  db: Sql,
  tenantId: string,
  column: 'task_id' | 'project_id',
  value: string,
  count: number,
): Promise<Json<Question>[]> => {
  const rows = await db.all<{ id: string; doc: Json<Question> }>(
    `select id, doc from questions where tenant_id = ? and ${column} = ? limit cast(? as bigint)`,
    [tenantId, value, count],
  )
  if (rows.length > 0) {
    await db.run(`delete from questions where tenant_id = ? and ${db.dialect.isAmong('id', 'text')}`, [
      ...[tenantId, db.dialect.listOf(rows.map(({ id }) => id))],
    ])
  }
  return rows.map(({ doc }) => doc)
}

/** Takes some questions of a project away. */
export const deleteProjectQuestions = (db: Sql, tenantId: string, projectId: string, count: number) =>
  deleteSome(db, tenantId, 'project_id', projectId, count)

/** Removes some questions of a task for good. */
export const deleteTaskQuestions = (db: Sql, tenantId: string, taskId: string, count: number) =>
  deleteSome(db, tenantId, 'task_id', taskId, count)
