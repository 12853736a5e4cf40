import { createRequire } from 'node:module'
import { command } from '../command.js'
import { CommandError } from '../exit-codes.js'

const packageName = 'worklore-github'

interface InstalledProgram {
  run(words: string[]): Promise<number>
}

/** Returns the package that has the command, or undefined if it is not installed beside this one. */
export const installedGithub = (): InstalledProgram | undefined => {
  try {
    return createRequire(import.meta.url)(`${packageName}/dist/bundle/main.cjs`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** Runs if the package is not installed. */
export const github = command({
  words: ['[ARGUMENT...]'],
  more: `It is the package ${packageName}, which is installed beside this one; wl github --help lists its options then.`,
  run: async () => {
    throw new CommandError(`wl github needs another package: npm install --global ${packageName}`)
  },
})
