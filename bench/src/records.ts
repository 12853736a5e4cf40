import { type Category, categories as statuses } from '../../packages/server/dist/src/tenancy/projects/statuses.js'
import { type Priority, priorities } from '../../packages/server/dist/src/work/tasks/fields.js'
import { createRandom, sentence } from './texts.js'

/** The records of every run: the same number gives the same record. */
export const projectKeys = ['ALPHA', 'BRAVO', 'DELTA', 'GAMMA'] as const
export { statuses }
export const userCount = 20
export const labels = Array.from({ length: 20 }, (_, at) => `label-${at}`)
const itemsPerFolder = 50

interface TaskInput {
  projectId: string
  title: string
  description: string
  status: Category
  priority: Priority
  assigneeId: string
  labels: string[]
}

const pick = <T>(random: () => number, values: readonly T[]): T => values[Math.floor(random() * values.length)]!

export const taskInput = (at: number, userIds: readonly string[]): TaskInput => {
  const random = createRandom(at + 1)
  const first = Math.floor(random() * labels.length)
  return {
    projectId: projectKeys[at % projectKeys.length]!,
    title: sentence(random, 7),
    description: sentence(random, 45),
    status: pick(random, statuses),
    priority: pick(random, priorities),
    assigneeId: pick(random, userIds),
    labels: [labels[first]!, labels[(first + 7) % labels.length]!],
  }
}

/** Tasks are spread evenly over the projects, whose numbers count from 1. */
export const taskIdAt = (at: number): string =>
  `${projectKeys[at % projectKeys.length]}-${Math.floor(at / projectKeys.length) + 1}`

export const folderOf = (at: number): string => `guides/folder-${Math.floor(at / itemsPerFolder)}`
export const itemKey = (at: number): string => `${folderOf(at)}/item-${at}`
export const itemContent = (at: number): string => sentence(createRandom(at + 500_000_000), 100)
