// Generated from openapi.json by "npm run generate".

/** The built-in ones, in the order of work. */
export const taskStatuses = ['todo', 'in_progress', 'in_review', 'done', 'cancelled'] as const

/** In rising order. */
export const taskPriorities = ['low', 'medium', 'high', 'urgent'] as const

/** Fields of a task that are on its card. */
export const taskCardFields = ['id', 'projectId', 'title', 'status', 'priority', 'labels', 'dueDate', 'parentId', 'statusCategory', 'checks', 'version', 'createdAt', 'updatedAt', 'createdBy', 'attempts', 'assignee', 'claim', 'openBlockers', 'children', 'commentCount', 'openQuestions', 'stale', 'rank', 'openBlockerIds', 'ready'] as const

/** Fields of a task that can be updated. */
export const taskPatchFields = ['title', 'description', 'result', 'status', 'priority', 'labels', 'dueDate', 'blockedBy', 'parentId', 'notBefore', 'externalId', 'metadata', 'resources', 'checks', 'attempts', 'assigneeId'] as const
