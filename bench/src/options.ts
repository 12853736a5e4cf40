import { parseArgs } from 'node:util'

export const engineNames = ['sqlite', 'postgres'] as const
export type EngineName = (typeof engineNames)[number]

const partNames = ['records', 'work'] as const
type PartName = (typeof partNames)[number]

export interface Options {
  parts: readonly PartName[]
  engines: readonly EngineName[]
  records: number
  scale: readonly number[] | undefined
  rounds: number
  roundMs: number
  connections: number
  only: string | undefined
  hasEmbeddings: boolean
  isProfiling: boolean
  output: string
}

const usage = `npm run bench -- [options]

  --quick               3 rounds of 0.4 s and 2,000 records
  --part NAME           records (tasks, knowledge and search), work (claims, comments and batches) or both (default)
  --engine NAME         sqlite, postgres or both (default both)
  --records N           tasks, and as many knowledge items (default 10,000)
  --scale               1,000, 10,000, 100,000 and 1,000,000 records, and how the cost grows
  --most N              the largest of them
  --rounds N            rounds of each operation (default 5)
  --round-ms N          length of a round (default 1,000)
  --connections N       keep-alive connections (default 32)
  --only TEXT           operations whose name contains the text
  --embeddings          search by meaning too; by words alone without it
  --profile             write a CPU profile of the service
  --output NAME         file name in bench/results, without its ending`

const scaleSteps = [1_000, 10_000, 100_000, 1_000_000]

const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a positive whole number`)
  return value
}

export const readOptions = (): Options => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      part: { type: 'string', default: 'both' },
      engine: { type: 'string', default: 'both' },
      records: { type: 'string' },
      scale: { type: 'boolean', default: false },
      most: { type: 'string', default: '1000000' },
      rounds: { type: 'string' },
      'round-ms': { type: 'string' },
      connections: { type: 'string', default: '32' },
      only: { type: 'string' },
      embeddings: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      output: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const engines = engineNames.filter((name) => values.engine === 'both' || values.engine === name)
  if (engines.length === 0) throw new Error('--engine must be sqlite, postgres or both')
  const parts = partNames.filter((name) => values.part === 'both' || values.part === name)
  if (parts.length === 0) throw new Error('--part must be records, work or both')
  const most = positive('most', values.most)
  return {
    parts,
    engines,
    records: positive('records', values.records ?? (values.quick ? '2000' : '10000')),
    scale: values.scale ? scaleSteps.filter((step) => step <= most) : undefined,
    rounds: positive('rounds', values.rounds ?? (values.quick ? '3' : '5')),
    roundMs: positive('round-ms', values['round-ms'] ?? (values.quick ? '400' : '1000')),
    connections: positive('connections', values.connections),
    only: values.only,
    hasEmbeddings: values.embeddings,
    isProfiling: values.profile,
    output: values.output ?? (values.scale ? 'scale' : 'operations'),
  }
}

export const searchSettings = ({ hasEmbeddings }: Options): Record<string, string> => ({
  WORKLORE_EMBEDDINGS: hasEmbeddings ? 'local' : 'off',
})
