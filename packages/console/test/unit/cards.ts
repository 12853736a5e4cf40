import { cardOf, type TaskCard } from '../../src/store/cards/task-card'

const at = '2026-01-01T00:00:00.000Z'

/** Returns a card with default values, except for the given fields. */
export const exampleCard = (id: string, fields: Partial<TaskCard> = {}): TaskCard =>
  cardOf({
    id,
    projectId: 'prj_1',
    title: `Task ${id}`,
    status: 'todo',
    statusCategory: 'todo',
    priority: 'medium',
    assignee: null,
    labels: [],
    dueDate: null,
    parentId: null,
    rank: 0,
    attempts: 0,
    version: 1,
    openBlockers: 0,
    openBlockerIds: [],
    ready: false,
    createdBy: { keyId: 'key_1', keyName: 'atlas', userId: null },
    commentCount: 0,
    openQuestions: 0,
    stale: [],
    children: { total: 0, open: 0 },
    checks: { total: 0, open: 0, failed: 0 },
    claim: null,
    createdAt: at,
    updatedAt: at,
    ...fields,
  } as TaskCard)

export const exampleClaim = (fields: Partial<NonNullable<TaskCard['claim']>> = {}): NonNullable<TaskCard['claim']> =>
  ({
    keyId: 'key_1',
    keyName: 'atlas',
    userId: null,
    worker: null,
    renewedAt: at,
    expiresAt: '2026-01-01T01:00:00.000Z',
    ...fields,
  }) as NonNullable<TaskCard['claim']>
