import { type Task, taskPriorities, taskStatuses } from 'worklore-client'
import { agentClients } from 'worklore-client/setup'

export const formats = ['worklore', 'beads', 'backlog', 'markdown', 'github', 'linear', 'plane'] as const

export const isOpen = (status: Task['statusCategory']): boolean => status !== 'done' && status !== 'cancelled'
export const openStatuses = taskStatuses.filter(isOpen)

/** The values to choose from, by what an option or argument calls its value. */
export const choices: Readonly<Record<string, readonly string[]>> = {
  STATUS: taskStatuses,
  PRIORITY: taskPriorities,
  ORDER: ['createdAt', 'updatedAt', 'priority', 'dueDate', 'rank'],
  SCOPE: ['tasks:read', 'tasks:write', 'knowledge:read', 'knowledge:write', 'admin'],
  KIND: ['task', 'knowledge', 'comment', 'project'],
  FORMAT: formats,
  CHAT: ['standard', 'slack', 'teams'],
  WHAT: ['key', 'project', 'all'],
  CHECK: Array.from({ length: 20 }, (_, at) => `c${at + 1}`),
  STATE: ['current', 'expired', 'superseded', 'retracted'],
  TRUST: ['unreviewed', 'verified', 'disputed'],
  CLIENT: [...Object.keys(agentClients), 'agents-md'],
  SHELL: ['bash', 'zsh', 'fish'],
}
