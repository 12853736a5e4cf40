import { homedir } from 'node:os'
import { join } from 'node:path'

const folderOf = (env: NodeJS.ProcessEnv, variable: string, ...fallback: string[]): string => {
  if (process.platform === 'win32') return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'worklore')
  return join(env[variable] || join(homedir(), ...fallback), 'worklore')
}

export const configFolder = (env: NodeJS.ProcessEnv): string => folderOf(env, 'XDG_CONFIG_HOME', '.config')

export const stateFolder = (env: NodeJS.ProcessEnv): string => folderOf(env, 'XDG_STATE_HOME', '.local', 'state')
