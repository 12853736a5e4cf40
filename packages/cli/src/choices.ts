export const formats = ['worklore', 'beads', 'backlog', 'markdown', 'github', 'linear', 'plane'] as const

export const openStatuses = ['todo', 'in_progress', 'in_review'] as const
export const statuses = [...openStatuses, 'done', 'cancelled'] as const
export const priorities = ['low', 'medium', 'high', 'urgent'] as const

/** The values to choose from, by what an option or argument calls its value. */
export const choices: Readonly<Record<string, readonly string[]>> = {
  STATUS: statuses,
  PRIORITY: priorities,
  ORDER: ['createdAt', 'updatedAt', 'priority', 'dueDate'],
  SCOPE: ['tasks:read', 'tasks:write', 'knowledge:read', 'knowledge:write', 'admin'],
  KIND: ['task', 'knowledge', 'comment', 'project'],
  FORMAT: formats,
  SHELL: ['bash', 'zsh', 'fish'],
}
