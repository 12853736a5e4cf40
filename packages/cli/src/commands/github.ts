import { createRequire } from 'node:module'
import { command } from '../command.js'
import { CommandError } from '../exit-codes.js'

const packageName = 'worklore-github'

interface InstalledProgram {
  run(words: string[]): Promise<number>
}

/** Returns the program of the `worklore-github` package, or undefined if it is not installed next to this one. */
export const installedGithub = (): InstalledProgram | undefined => {
  try {
    return createRequire(import.meta.url)(`${packageName}/dist/bundle/main.cjs`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** Stands in for the command if `worklore-github` is not installed. */
export const github = command({
  words: ['[ARGUMENT...]'],
  more: `It is the package ${packageName}, which is installed beside this one; wl github --help lists its options then.`,
  run: async () => {
    throw new CommandError(`wl github needs another package: npm install --global ${packageName}`)
  },
})
