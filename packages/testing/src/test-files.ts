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

interface Choice {
  /** A file is chosen if its path contains one of them, and every file if there are none. */
  words: readonly string[]
  withLong: boolean
}

export const chooseTestFiles = (packages: string, { words, withLong }: Choice): string[] =>
  testFilesIn(packages)
    .filter((file) => withLong || !isLong(file))
    .filter((file) => words.length === 0 || words.some((word) => file.slice(packages.length).includes(word)))

/**
 * Files that start processes or browsers and wait for them, as all of the clients do: each has a test process of its own,
 * and they begin first.
 */
const ownProcess =
  /\/dist\/test\/(faults|restore|race|hostile)\/|\/(packs|conformance)\.test\.js$|\.long\.|\/(client|cli|console)\/dist\//

const maxFilesPerProcess = 12

/**
 * Files that share a test process, one after the other, and with it its services: loading the service takes a processor
 * more than a second.
 */
export const groupTestFiles = (files: readonly string[]): string[][] => {
  const own = files.filter((file) => ownProcess.test(file)).map((file) => [file])
  const shared: string[][] = []
  const roomOf = (file: string): string => file.slice(0, file.indexOf('/dist/'))
  for (const file of files.filter((each) => !ownProcess.test(each))) {
    const last = shared.at(-1)
    if (last && last.length < maxFilesPerProcess && roomOf(last[0]!) === roomOf(file)) last.push(file)
    else shared.push([file])
  }
  return [...own, ...shared]
}
