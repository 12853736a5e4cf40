import type { GlobalValues } from './arguments.js'
import { CommandError, exitUnauthorized, usageError } from './exit-codes.js'
import { didYouMean } from './nearest-name.js'
import { type Profile, readProfiles } from './profiles.js'
import { readRepositorySettings, repositoryFile } from './repository.js'

/** Where the service is, who asks, and in which project. */
export interface Settings {
  url: string
  key: string | undefined
  project: string | undefined
  /** What set the project, as errors call it. */
  projectSource: string
  /** Whether the project was named for this very command. */
  isProjectExplicit: boolean
}

/** In place of a project's key, which is in capitals. */
const everyProject = 'all'

export const projectFlag = '--project'

export const defaultUrl = 'http://127.0.0.1:8787'

const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(URL.canParse(url) ? new URL(url).hostname : '')

export const checkUrl = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw usageError(`"${url}" is not an http or https URL, such as ${defaultUrl}.`)
  return url.replace(/\/+$/, '')
}

export const checkKey = (key: string): string => {
  if (!/^[\x21-\x7e]+$/.test(key)) throw usageError('The key contains spaces or other characters that no key has.')
  return key
}

/**
 * Flags, then the environment, then `.worklore.json`, then the profile. A profile's key is sent to the profile's own
 * server only, and the file of a repository, which anyone may have written, names none but a server already known.
 */
export const readSettings = (flags: GlobalValues, env: NodeJS.ProcessEnv, folder: string): Settings => {
  const { current, profiles } = readProfiles(env)
  const repository = readRepositorySettings(folder)
  const named = flags.profile
  if (named !== undefined && !Object.hasOwn(profiles, named)) {
    const hint = didYouMean(named, Object.keys(profiles)) || ` Create it with wl login --profile ${named}.`
    throw usageError(`Profile "${named}" not found.${hint}`)
  }
  const usual: Profile | undefined = profiles[named ?? current]
  const profileFor = (url: string): Profile | undefined =>
    [usual, ...(named === undefined ? Object.values(profiles) : [])].find((profile) => profile?.url === url)

  const chosen = flags.url ?? (named === undefined ? env.WORKLORE_URL : undefined)
  const url = checkUrl(chosen || (named === undefined && repository.url) || usual?.url || defaultUrl)
  if (!chosen && url === repository.url && !isLoopback(url) && !profileFor(url)) {
    throw new CommandError(
      `${repositoryFile} names the server ${url}, which has no profile yet. Run wl login --url ${url}, or set WORKLORE_URL.`,
      exitUnauthorized,
    )
  }
  const profile = profileFor(url)
  const ownKey = flags['api-key'] ?? (named === undefined ? env.WORKLORE_KEY : undefined)
  const key = ownKey || profile?.key
  const project = flags.project ?? (env.WORKLORE_PROJECT || repository.project || profile?.project)
  const unlessFlag = env.WORKLORE_PROJECT ? 'WORKLORE_PROJECT' : repository.project ? repositoryFile : 'the profile'
  return {
    url,
    key: key && checkKey(key),
    project: project === everyProject ? undefined : project,
    projectSource: flags.project === undefined && project !== undefined ? unlessFlag : projectFlag,
    isProjectExplicit: flags.project !== undefined,
  }
}
