import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type EngineName, engineNames } from '../options.js'

export const modes = ['hybrid', 'words'] as const
export type Mode = (typeof modes)[number]

interface SearchBenchOptions {
  /** Folders of collections, by their names. */
  sets: ReadonlyMap<string, string>
  engines: readonly EngineName[]
  modes: readonly Mode[]
  /** Collections that are also measured as long pages. */
  pages: readonly string[]
  output: string
}

const usage = `npm run bench search -- --data DIR [options]

  --data DIR            a collection (corpus.jsonl, queries.jsonl, qrels.tsv), or a folder of them
  --engine NAME         sqlite, postgres or both (default sqlite)
  --mode NAME           hybrid, words or both (default hybrid)
  --only TEXT,TEXT      collections whose name contains one of the texts
  --pages NAME,NAME     collections with titles that are also measured as long pages
  --output NAME         file name in bench/results, without its ending (default search)

WORKLORE_EMBEDDINGS and its companions are passed on to the service.`

const isCollection = (folder: string): boolean => existsSync(join(folder, 'corpus.jsonl'))

const collectionsIn = (folder: string): Map<string, string> => {
  if (isCollection(folder)) return new Map([[basename(folder), folder]])
  const names = readdirSync(folder).filter((name) => isCollection(join(folder, name)))
  return new Map(names.sort().map((name) => [name, join(folder, name)]))
}

const chosen = <T extends string>(name: string, known: readonly T[], value: string): T[] => {
  const found = known.filter((one) => value === 'both' || value === one)
  if (found.length === 0) throw new Error(`--${name} must be ${known.join(', ')} or both`)
  return found
}

export const readSearchOptions = (): SearchBenchOptions => {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      engine: { type: 'string', default: 'sqlite' },
      mode: { type: 'string', default: 'hybrid' },
      only: { type: 'string', default: '' },
      pages: { type: 'string', default: '' },
      output: { type: 'string', default: 'search' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help || values.data === undefined) {
    console.log(usage)
    process.exit(values.help ? 0 : 1)
  }
  const sets = [...collectionsIn(values.data)].filter(([name]) =>
    values.only.split(',').some((text) => name.includes(text)),
  )
  if (sets.length === 0) throw new Error(`there is no collection in ${values.data}`)
  return {
    sets: new Map(sets),
    engines: chosen('engine', engineNames, values.engine),
    modes: chosen('mode', modes, values.mode),
    pages: values.pages.split(','),
    output: values.output,
  }
}
