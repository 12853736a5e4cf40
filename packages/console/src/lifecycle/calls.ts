import type {
  JudgeKnowledgeBody,
  KnowledgeItem,
  KnowledgeLink,
  Page,
  PatchKnowledgeBody,
  StaleMark,
  Task,
  Worklore,
} from 'worklore-client'
import type { State } from './state'

export interface ItemAddress {
  key: string
  projectId: string | null
}

/** A task that relied on an item, or an item that was written under its claim. */
export interface Dependent {
  task?: string
  key?: string
  projectId: string | null
  version: number
  at: string
}

/** An item that a task relied on. */
export interface BasisEntry {
  key: string
  projectId: string | null
  version: number
  at: string
  state: State | 'deleted'
}

const recordsPerPage = 100

const addressOf = ({ key, projectId }: ItemAddress): { key: string; projectId?: string } => ({
  key,
  ...(projectId && { projectId }),
})

const post = async (client: Worklore, path: string, body: object): Promise<KnowledgeItem> =>
  (await client.request<{ data: KnowledgeItem }>({ method: 'POST', path, body })).data

export const patchItem = async (
  client: Worklore,
  { key, projectId }: ItemAddress,
  patch: PatchKnowledgeBody,
  ifMatch?: number,
): Promise<KnowledgeItem> => {
  const path = `/v1/knowledge/${key.split('/').map(encodeURIComponent).join('/')}`
  const { data } = await client.request<{ data: KnowledgeItem }>({
    method: 'PATCH',
    path,
    query: { projectId },
    body: patch,
    ...(ifMatch !== undefined && { headers: { 'if-match': `"${ifMatch}"` } }),
  })
  return data
}

export const judgeItem = (
  client: Worklore,
  item: ItemAddress,
  verdict: Pick<JudgeKnowledgeBody, 'version' | 'trust' | 'note'>,
): Promise<KnowledgeItem> => post(client, '/v1/knowledge/verdict', { ...addressOf(item), ...verdict })

/** Without a reason it takes a retraction back. */
export const retractItem = (client: Worklore, item: ItemAddress, reason: string | null): Promise<KnowledgeItem> =>
  post(client, '/v1/knowledge/retract', { ...addressOf(item), reason })

export const acceptStaleItem = (client: Worklore, item: ItemAddress): Promise<unknown> =>
  post(client, '/v1/knowledge/stale/accept', addressOf(item))

export const acceptStaleTask = (client: Worklore, taskId: string): Promise<unknown> =>
  client.request({ method: 'POST', path: `/v1/tasks/${taskId}/stale/accept` })

export type ReadPage<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>

const pagesOf =
  <T>(client: Worklore, path: string, query: object): ReadPage<T> =>
  (cursor, signal) =>
    client.request({ method: 'GET', path, query: { ...query, limit: recordsPerPage, cursor }, signal })

export const itemLinksOf = (client: Worklore, item: ItemAddress): ReadPage<KnowledgeLink> =>
  pagesOf(client, '/v1/links', { ...addressOf(item), direction: 'out' })

export const backlinksOf = (client: Worklore, item: ItemAddress): ReadPage<KnowledgeLink> =>
  pagesOf(client, '/v1/links', { ...addressOf(item), direction: 'in' })

export const dependentsOf = (client: Worklore, item: ItemAddress): ReadPage<Dependent> =>
  pagesOf(client, '/v1/dependents', addressOf(item))

export const basisOf = (client: Worklore, taskId: string): ReadPage<BasisEntry> =>
  pagesOf(client, `/v1/tasks/${taskId}/basis`, {})

/** The marks of a task. */
export const staleMarksOf = (task: Task): readonly StaleMark[] => (task as { stale?: StaleMark[] }).stale ?? []
