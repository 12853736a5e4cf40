import type { BareProcess } from './bare-process.js'
import type { LoadProcess } from './load-process.js'
import { type Measured, measure, type Stage } from './measure.js'
import { type Operation, operations } from './operations.js'
import type { Options } from './options.js'
import type { Progress } from './progress.js'

/** What one run of the program shares. */
export interface Bench {
  options: Options
  progress: Progress
  load: LoadProcess
  bare: BareProcess
  folder: string
}

const isWanted = (operation: Operation, only: string | undefined): boolean => !only || operation.name.includes(only)

/** Measures the operations one after the other; searches are left out, with a notice, where there is no search. */
export const measureAll = async (
  { options, progress }: Bench,
  stage: Stage,
  where: string,
  isPart: (operation: Operation) => boolean = () => true,
): Promise<Measured[]> => {
  const results: Measured[] = []
  for (const operation of operations) {
    if (!isWanted(operation, options.only) || !isPart(operation)) continue
    if (operation.isSearch && !stage.world.hasSearch) {
      progress.say(`${where}, ${operation.name} is left out, since this service has no search yet`)
      continue
    }
    progress.say(`${where}, ${operation.name}`)
    results.push(await measure(stage, operation, options))
  }
  return results
}
