import type { ChosenFile } from './test-files.js'

/** Test files that run one after the other in one process, and share its services and its browser. */
export interface TestGroup extends Omit<ChosenFile, 'path'> {
  files: readonly string[]
  /** Whether its tests mostly compute rather than wait for processes. */
  isComputing: boolean
  /** Whether its tests run bundled programs or the bundled console. */
  needsBundles: boolean
  /** Whether its tests import modules of the console into Node. */
  loadsConsole: boolean
  expectedMs: number
}

const consoleUnit = /\/console\/dist\/test\/unit\//

interface GroupKind {
  pattern: RegExp
  maxFiles: number
  isComputing: boolean
  needsBundles: boolean
}

/**
 * The first kind that matches a file applies. Loading the service and serving its first requests takes three seconds of
 * processor time, so tests that compute share a process with many others.
 */
const kinds: readonly GroupKind[] = [
  { pattern: consoleUnit, maxFiles: 100, isComputing: true, needsBundles: false },
  { pattern: /\/console\/dist\/test\//, maxFiles: 100, isComputing: true, needsBundles: true },
  { pattern: /\/dist\/test\/(restore|race)\/|\.(long|citus)\./, maxFiles: 1, isComputing: false, needsBundles: true },
  {
    pattern: /\/dist\/test\/(faults|processes)\/|\/(packs|conformance)\.test\.js$|\/hostile\/[\w-]+\.timed\./,
    maxFiles: 3,
    isComputing: false,
    needsBundles: true,
  },
  // Programs that wait for a service about as long as they compute.
  {
    pattern: /\/(client|cli|github)\/dist\/|\/dist\/test\/hostile\//,
    maxFiles: 16,
    isComputing: false,
    needsBundles: true,
  },
  { pattern: /\/server\/dist\/test\//, maxFiles: 100, isComputing: true, needsBundles: true },
  { pattern: /(?:)/, maxFiles: 100, isComputing: true, needsBundles: false },
]

/** Maximum processor time of a group with several files. It keeps one long group from delaying the end of a run. */
const maxGroupMs = 60_000

const kindOf = (file: string): number => kinds.findIndex(({ pattern }) => pattern.test(file))

const packageOf = (file: string): string => file.slice(0, file.indexOf('/dist/'))

/** Returns a key that all files of a group have in common. */
const keyOf = ({ path, engines, isLong, isWithClients }: ChosenFile): string =>
  [kindOf(path), packageOf(path), engines.join('+'), isLong, isWithClients].join(' ')

/** Groups files and sorts the groups by their expected time, longest first. */
export const groupTestFiles = (files: readonly ChosenFile[], lastMs: (file: string) => number): TestGroup[] => {
  const groups: (TestGroup & { files: string[]; key: string; maxFiles: number })[] = []
  for (const file of files) {
    const { path, ...manner } = file
    const { maxFiles, isComputing, needsBundles } = kinds[kindOf(path)]!
    const key = keyOf(file)
    const ms = lastMs(path)
    const open = groups.find(
      (group) => group.key === key && group.files.length < maxFiles && group.expectedMs + ms <= maxGroupMs,
    )
    if (open) {
      open.files.push(path)
      open.expectedMs += ms
    } else {
      const loadsConsole = consoleUnit.test(path)
      groups.push({
        ...{ key, maxFiles, files: [path], ...manner, isComputing, needsBundles },
        loadsConsole,
        expectedMs: ms,
      })
    }
  }
  return groups.sort((a, b) => b.expectedMs - a.expectedMs)
}
