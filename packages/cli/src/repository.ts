import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError } from './exit-codes.js'
import { readJson } from './private-file.js'

export const repositoryFile = '.worklore.json'

/** What a repository says of where its tasks are. Never a key: the file is for everyone who has the repository. */
interface RepositorySettings {
  url?: string | undefined
  project?: string | undefined
}

/** The folder that the work belongs to: the nearest one with a `.worklore.json` or a repository, or the folder itself. */
export const workFolder = (start: string): string => {
  for (let folder = start; ; ) {
    if (existsSync(join(folder, repositoryFile)) || existsSync(join(folder, '.git'))) return folder
    const parent = dirname(folder)
    if (parent === folder) return start
    folder = parent
  }
}

const known = ['url', 'project']

export const readRepositorySettings = (folder: string): RepositorySettings => {
  const file = join(folder, repositoryFile)
  const settings = readJson(file) ?? {}
  if (typeof settings !== 'object' || Array.isArray(settings)) throw new CommandError(`${file} must be a JSON object.`)
  for (const [name, value] of Object.entries(settings)) {
    if (/key/i.test(name))
      throw new CommandError(`${file} must not contain a key. Remove "${name}" and revoke that key; use wl login.`)
    if (!known.includes(name)) throw new CommandError(`${file}: unknown setting "${name}". Use ${known.join(', ')}.`)
    if (typeof value !== 'string') throw new CommandError(`${file}: "${name}" must be a string.`)
  }
  return settings
}
