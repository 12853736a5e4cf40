import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AgentClientId } from 'worklore-client/setup'

type Environment = NodeJS.ProcessEnv

/** The folder of VS Code's default profile. */
const vscodeFolder = (env: Environment): string => {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Code', 'User')
  const folder =
    process.platform === 'win32'
      ? (env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'))
      : env.XDG_CONFIG_HOME || join(homedir(), '.config')
  return join(folder, 'Code', 'User')
}

const locations: Record<AgentClientId, (env: Environment) => string> = {
  claude: (env) => join(env.CLAUDE_CONFIG_DIR || homedir(), '.claude.json'),
  codex: (env) => join(env.CODEX_HOME || join(homedir(), '.codex'), 'config.toml'),
  cursor: () => join(homedir(), '.cursor', 'mcp.json'),
  vscode: (env) => join(vscodeFolder(env), 'mcp.json'),
  gemini: () => join(homedir(), '.gemini', 'settings.json'),
}

/** Where a client keeps the MCP servers of its user. */
export const configFileOf = (id: AgentClientId, env: Environment): string => locations[id](env)
