import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const sourceOf = (file: string): string => file.replace(/\/dist\/(.*)\.js$/, '/$1.ts')

/** These files run in `npm run test:all` only. */
const isLong = (file: string): boolean => file.includes('.long.')

const isInBrowser = (file: string): boolean =>
  file.includes('/console/dist/test/') && readFileSync(sourceOf(file), 'utf8').includes("'./console-stage.js'")

/** Of the browser tests, `npm test` runs only files with journeys. */
const isInBrowserWithoutJourney = (file: string): boolean =>
  isInBrowser(file) && !readFileSync(sourceOf(file), 'utf8').includes('journey(')

/**
 * These files check little besides time limits, which apply only in `npm run test:timed`. The path may be that of the
 * source or the compiled file. `npm test` does not have to run their statements on PostgreSQL.
 */
export const isTimed = (file: string): boolean => /\.timed\.test\.[jt]s$/.test(file)

/** These files check nothing besides time limits. */
const isOnlyTimed = (file: string): boolean => file.endsWith('.long.timed.test.js')

/** Returns every built test file below a folder of packages, in order. */
const testFilesIn = (packages: string): string[] =>
  readdirSync(packages)
    .map((name) => join(packages, name, 'dist'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => (readdirSync(folder, { recursive: true }) as string[]).map((file) => join(folder, file)))
    .filter((file) => file.endsWith('.test.js'))
    // A file in dist whose source was deleted or renamed is left over from an older build.
    .filter((file) => existsSync(sourceOf(file)))
    .sort()

/** These files need a Citus cluster. */
const isOfCitus = (file: string): boolean => file.includes('.citus.')

/** Whether a file runs on Citus when no words are given. */
const chosenOnCitus = (file: string): boolean =>
  isOfCitus(file) ||
  file.includes('/test/contract/') ||
  ['/test/webhooks/delivery.test.js', '/test/search/statements.test.js'].some((name) => file.endsWith(name))

/**
 * `short` is `npm test`. `rest` is everything in `all` that is not in `short`, except the long versions of tests and `.long.`
 * files. `timed` applies the time limits. `citus` and `pooler` run on PostgreSQL only.
 */
export type RunKind = 'short' | 'all' | 'rest' | 'timed' | 'citus' | 'pooler'

export type EngineName = 'sqlite' | 'postgres'

export interface ChosenFile {
  path: string
  engines: readonly EngineName[]
  /** Whether `inLongRun` returns the long value. */
  isLong: boolean
  /** Whether suites that reach the store only through the service also run on all of `engines`. */
  isWithClients: boolean
}

const bothEngines: readonly EngineName[] = ['sqlite', 'postgres']

const relativeImport = /from '(\.{1,2}\/[^']+)\.js'/g

/** Returns the source of a test file, followed by the sources of the test code that it imports. */
const readWithImports = (source: string, seen = new Set<string>()): string => {
  if (seen.has(source) || !existsSync(source)) return ''
  seen.add(source)
  const text = readFileSync(source, 'utf8')
  const imports = [...text.matchAll(relativeImport)].map(([, path]) => join(dirname(source), `${path}.ts`))
  return [text, ...imports.filter((path) => /\/test\//.test(path)).map((path) => readWithImports(path, seen))].join(
    '\n',
  )
}

const usesEngines = /worklore-testing\/(?:engines|service-suite)'/
/** Suites that run on one engine in `npm test`. */
const hasClientSuites = /describeClient|enginesBehindService/
const hasBounds = /\bquietBoundMs\(/
/** Tests that compare the engines or ask for PostgreSQL by name. */
const needsBothEngines = /engines\.find\(|engines\[1\]|on both engines/
/** Whether a file tests stores, query plans, races or faults. */
const isAboutStores = (file: string): boolean =>
  /\/server\/dist\/src\/|\/(?:race|faults|restore)\/|(?:statements|plans|races?|nodes)\.test\.js$/.test(file)

/**
 * Reads the list of files that run every SQL text of the suite on PostgreSQL, together with the files that run on both
 * engines anyway.
 */
const readPostgresFiles = (packages: string): ReadonlySet<string> =>
  new Set(JSON.parse(readFileSync(postgresFilesPath(packages), 'utf8')) as string[])

export const postgresFilesPath = (packages: string): string => join(packages, 'testing', 'postgres-files.json')

/** Whether a file runs on both engines in `npm test`, whatever statements it contains. */
export const isOnBothAnyway = (path: string): boolean => {
  const text = readWithImports(sourceOf(path))
  return (isAboutStores(path) || needsBothEngines.test(text)) && !hasClientSuites.test(text)
}

/** Returns the path of a test file's source, relative to `packages`. */
export const listedName = (packages: string, file: string): string => sourceOf(file).slice(packages.length + 1)

/** Returns the paths of the built file and of its source. Words given to the runner are searched in both. */
const pathsOf = (packages: string, file: string): string =>
  `${file.slice(packages.length)} packages/${listedName(packages, file)}`

interface Choice {
  /** A file is chosen if its path contains one of these words, or if there are none. */
  words: readonly string[]
  kind: RunKind
}

export const chooseTestFiles = (packages: string, { words, kind }: Choice): ChosenFile[] => {
  const hasWords = words.length > 0
  const listed = readPostgresFiles(packages)
  const isFull = kind === 'all' || kind === 'rest'

  const choose = (path: string): ChosenFile[] => {
    if (kind === 'citus' || kind === 'pooler') {
      return [{ path, engines: ['postgres'], isLong: false, isWithClients: true }]
    }
    const text = readWithImports(sourceOf(path))
    const long: ChosenFile = { path, engines: bothEngines, isLong: true, isWithClients: true }
    if (kind === 'timed' || kind === 'all') return [long]
    const isListed = listed.has(listedName(packages, path))
    const isOnBoth = hasWords || isListed || isAboutStores(path) || needsBothEngines.test(text)
    if (kind === 'short') {
      return [{ path, engines: isOnBoth ? bothEngines : ['sqlite'], isLong: false, isWithClients: isListed }]
    }
    const rest: ChosenFile = { ...long, isLong: false }
    if (isTimed(path) || isInBrowser(path)) return [{ ...rest, isWithClients: false }]
    const isWhole = isListed || (isOnBoth ? !hasClientSuites.test(text) : !usesEngines.test(text))
    return isWhole ? [] : [{ ...rest, engines: ['postgres'] }]
  }

  return testFilesIn(packages)
    .filter((file) => kind === 'all' || kind === 'timed' || hasWords || !isLong(file))
    .filter((file) => kind !== 'short' || hasWords || !isInBrowserWithoutJourney(file))
    .filter((file) =>
      kind === 'timed'
        ? isTimed(file) || hasBounds.test(readFileSync(sourceOf(file), 'utf8'))
        : (isFull && !isOnlyTimed(file)) || hasWords || !isTimed(file),
    )
    .filter((file) => (kind === 'citus' ? hasWords || chosenOnCitus(file) : !isOfCitus(file)))
    .filter((file) => !hasWords || words.some((word) => pathsOf(packages, file).includes(word)))
    .flatMap(choose)
}
