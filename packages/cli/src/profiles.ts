import { join } from 'node:path'
import { readJson, writePrivateJson } from './private-file.js'
import { configFolder } from './user-folders.js'

/** A server and a key for it. */
export interface Profile {
  url: string
  key: string
  project?: string | undefined
}

interface Profiles {
  /** The profile that is used where nothing names one. */
  current: string
  profiles: Record<string, Profile>
}

export const profilesFile = (env: NodeJS.ProcessEnv): string => join(configFolder(env), 'profiles.json')

export const readProfiles = (env: NodeJS.ProcessEnv): Profiles => {
  const { current = 'default', profiles = {} } = (readJson(profilesFile(env)) ?? {}) as Partial<Profiles>
  return { current, profiles }
}

export const saveProfile = (env: NodeJS.ProcessEnv, name: string, profile: Profile): void => {
  const { profiles } = readProfiles(env)
  writePrivateJson(profilesFile(env), { current: name, profiles: { ...profiles, [name]: profile } })
}
