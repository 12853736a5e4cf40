import type { Worklore } from '../../src/index.js'
import { raceProject } from './settings.js'

const perBatch = 100
const priorities = ['low', 'medium', 'high', 'urgent'] as const

const maxPaths = 600

/** Files, and now and then the folder of ten of them. */
const resourcesOf = (random: () => number): string[] => {
  const path = Math.floor(random() * maxPaths)
  const folder = `src/${Math.floor(path / 10)}/`
  return [random() < 0.1 ? folder : `${folder}${path}.ts`, `docs/${Math.floor(random() * maxPaths)}.md`]
}

/** Creates the tasks, many of which wait for one to three of those created before, in as few calls as possible. */
export const createPlan = async (
  wl: Worklore,
  count: number,
  hasResources: boolean,
  random: () => number,
): Promise<void> => {
  await wl.projects.create({ key: raceProject, name: 'Race', maxAttempts: 100 })
  const before: string[] = []
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  while (before.length < count) {
    const created = await wl.batch((batch) => {
      const names: string[] = []
      return Array.from({ length: Math.min(perBatch, count - before.length) }, (_, index) => {
        const choice = [...before.slice(-perBatch), ...names]
        const wanted = choice.length > 0 && random() < 0.6 ? 1 + Math.floor(random() * 3) : 0
        const blockedBy = [...new Set(Array.from({ length: wanted }, () => pick(choice)))]
        names.push(`@task${index}`)
        const task = { projectId: raceProject, title: `Piece ${before.length + index}`, priority: pick(priorities) }
        const resources = hasResources ? resourcesOf(random) : []
        return batch.as(`task${index}`).tasks.create({ ...task, blockedBy, resources })
      })
    })
    before.push(...created.map(({ id }) => id))
  }
}
