import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const sourceOf = (file: string): string => file.replace(/\/dist\/(.*)\.js$/, '/$1.ts')

/** Those are for `npm run test:all`. */
const isLong = (file: string): boolean => file.includes('.long.')

/** Those hold bounds of time, which the long run keeps. */
export const isTimed = (file: string): boolean => file.endsWith('.timed.test.js')

/** Every built test file below a folder of packages, in order. */
const testFilesIn = (packages: string): string[] =>
  readdirSync(packages)
    .map((name) => join(packages, name, 'dist'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => (readdirSync(folder, { recursive: true }) as string[]).map((file) => join(folder, file)))
    .filter((file) => file.endsWith('.test.js'))
    // What is left in dist of a file that is gone or has another name is no test.
    .filter((file) => existsSync(sourceOf(file)))
    .sort()

/** Those need a cluster. */
const isOfCitus = (file: string): boolean => file.includes('.citus.')

/** What runs on a cluster where no words are given. */
const chosenOnCitus = (file: string): boolean =>
  isOfCitus(file) ||
  file.includes('/test/contract/') ||
  ['/test/webhooks/delivery.test.js', '/test/search/statements.test.js'].some((name) => file.endsWith(name))

interface Choice {
  /** A file is chosen if its path contains one of them, and every file if there are none. */
  words: readonly string[]
  withLong: boolean
  onCitus?: boolean
}

export const chooseTestFiles = (packages: string, { words, withLong, onCitus = false }: Choice): string[] =>
  testFilesIn(packages)
    .filter((file) => withLong || !isLong(file))
    .filter((file) => (onCitus ? words.length > 0 || chosenOnCitus(file) : !isOfCitus(file)))
    .filter((file) => words.length === 0 || words.some((word) => file.slice(packages.length).includes(word)))

/** Each has a test process of its own: they start processes, and wait for them most of the time. */
const ownProcess = /\/dist\/test\/(restore|race)\/|\.(long|citus)\./

/** They do so for a shorter time. */
const startsProcesses = /\/dist\/test\/faults\/|\/(packs|conformance)\.test\.js$|\/hostile\/[\w-]+\.timed\./

/** In the order in which they begin, the longest first; how many files share a process. */
const kinds: readonly { pattern: RegExp; maxFiles: number }[] = [
  { pattern: /\/console\/dist\//, maxFiles: 10 },
  { pattern: ownProcess, maxFiles: 1 },
  { pattern: startsProcesses, maxFiles: 3 },
  // Programs that wait for a service as long as they compute.
  { pattern: /\/(client|cli|github)\/dist\/|\/dist\/test\/hostile\//, maxFiles: 8 },
  { pattern: /(?:)/, maxFiles: 20 },
]

const groupsOf = (files: readonly string[], maxFiles: number): string[][] => {
  const groups: string[][] = []
  const packageOf = (file: string): string => file.slice(0, file.indexOf('/dist/'))
  for (const file of files) {
    const last = groups.at(-1)
    if (last && last.length < maxFiles && packageOf(last[0]!) === packageOf(file)) last.push(file)
    else groups.push([file])
  }
  return groups
}

/**
 * Files that share a test process, one after the other, and with it its services and its browser: loading the service
 * and meeting its first requests takes a processor three seconds.
 */
export const groupTestFiles = (files: readonly string[]): string[][] =>
  kinds.flatMap(({ maxFiles }, at) =>
    groupsOf(
      files.filter((file) => kinds.findIndex((kind) => kind.pattern.test(file)) === at),
      maxFiles,
    ),
  )
