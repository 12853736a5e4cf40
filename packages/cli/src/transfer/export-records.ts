import type {
  Comment,
  HistoryEntry,
  KnowledgeItem,
  ListHistoryQuery,
  Me,
  Project,
  Question,
  Task,
  Worklore,
} from 'worklore-client'
import { readHistory } from '../history.js'
import { exportVersion } from './layout.js'

export type ExportedRecord =
  | { kind: 'export'; version: number; exportedAt: string; tenant: Me['tenant'] }
  | ({ kind: 'project' } & Project)
  | ({ kind: 'task' } & Task & { comments: Comment[] } & WithHistory)
  | ({ kind: 'question' } & Question)
  | ExportedNote

export type ExportedNote = { kind: 'note'; project: string | null } & KnowledgeItem & WithHistory

/** Every change, newest first, where it was asked for. */
interface WithHistory {
  history?: HistoryEntry[]
}

interface ExportChoice {
  projectId: string | undefined
  hasHistory: boolean
}

type ExportProgress = (what: string, done: number, total: number) => void

const mayRead = ({ scopes }: Me, subject: 'tasks' | 'knowledge'): boolean =>
  scopes.some((scope) => scope === 'admin' || scope.startsWith(`${subject}:`))

const commentsOf = async (wl: Worklore, { id, commentCount }: Task): Promise<Comment[]> => {
  const comments: Comment[] = []
  if (commentCount === 0) return comments
  for await (const comment of wl.tasks.comments(id).list({ limit: 100 })) comments.push(comment)
  return comments
}

/** Everything that the key may read, of one project or of all: the projects, then tasks, questions and notes. */
export async function* exportRecords(
  wl: Worklore,
  { projectId, hasHistory }: ExportChoice,
  onProgress: ExportProgress,
): AsyncGenerator<ExportedRecord> {
  const historyOf = async (query: ListHistoryQuery): Promise<WithHistory> =>
    hasHistory ? { history: (await readHistory(wl, { ...query, full: true })).data } : {}
  const me = await wl.me()
  yield { kind: 'export', version: exportVersion, exportedAt: new Date().toISOString(), tenant: me.tenant }
  const keys = new Map<string, string>()
  for await (const project of wl.projects.list({ limit: 100 })) {
    const isWanted = projectId === undefined || projectId === project.id || projectId === project.key
    const isAllowed = me.projects === null || me.projects.some(({ id }) => id === project.id)
    if (!isWanted || !isAllowed) continue
    keys.set(project.id, project.key)
    yield { kind: 'project', ...project }
  }
  if (mayRead(me, 'tasks')) {
    let done = 0
    let total = 0
    const ids = new Set<string>()
    const list = wl.tasks.list({ projectId, sort: 'createdAt', limit: 100, total: 'exact' })
    for await (const { data, pagination } of list.pages()) {
      total = pagination.total ?? total
      for (const task of data) {
        yield { kind: 'task', ...task, comments: await commentsOf(wl, task), ...(await historyOf({ task: task.id })) }
        ids.add(task.id)
        onProgress('tasks', ++done, Math.max(done, total))
      }
    }
    for await (const question of wl.questions.list({ projectId, limit: 100 })) {
      if (ids.has(question.taskId)) yield { kind: 'question', ...question }
    }
  }
  if (mayRead(me, 'knowledge')) {
    let done = 0
    for await (const item of wl.knowledge.list({ projectId, limit: 50 })) {
      const project = item.projectId === null ? null : (keys.get(item.projectId) ?? item.projectId)
      const query = { knowledge: item.key, projectId: item.projectId ?? undefined }
      yield { kind: 'note', project, ...item, ...(await historyOf(query)) }
      done++
      onProgress('notes', done, done)
    }
  }
}
