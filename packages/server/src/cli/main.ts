import { AppError } from '../base/errors.js'
import { settings, version } from '../config.js'
import type { RunCommand } from './command.js'
import { type CommandName, help } from './help.js'

interface Command {
  about: string
  /** Loaded for a run alone: what a command needs of the store takes longer to load than to explain. */
  load(): Promise<{ run: RunCommand }>
}

const commands: Record<CommandName, Command> = {
  serve: { about: 'Run the service', load: () => import('./serve.js') },
  migrate: { about: 'Create the database or update its schema', load: () => import('./migrate.js') },
  distribute: { about: 'Distribute an existing database over Citus nodes', load: () => import('./distribute.js') },
  doctor: { about: 'Check the database and where its tables are', load: () => import('./doctor.js') },
  rebuild: { about: 'Rebuild the search index, links and counts', load: () => import('./rebuild.js') },
  tenants: { about: 'Create, list, change and delete tenants', load: () => import('./tenants.js') },
  keys: { about: 'Create, list and revoke the API keys of a tenant', load: () => import('./keys.js') },
  console: { about: 'Print a link that signs in to the web console', load: () => import('./console.js') },
  secrets: { about: 'Rotate or reset the key that encrypts webhook secrets', load: () => import('./secrets.js') },
  audit: { about: 'Print the audit log', load: () => import('./audit.js') },
  backup: { about: 'Back up the embedded database while the service runs', load: () => import('./backup.js') },
  restore: { about: 'Replace the embedded database with a backup', load: () => import('./restore.js') },
  'after-restore': { about: 'Prepare a database restored with another tool', load: () => import('./after-restore.js') },
  openapi: { about: 'Print the OpenAPI document', load: () => import('./openapi.js') },
}

const usage = (): string => {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(14)} ${about}`)
  return `worklore ${version}: tasks and knowledge in one service\n\nUsage: worklore <command> [options]\n\n${lines.join('\n')}\n\nRun worklore <command> --help for details. Settings are environment variables.`
}

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h'

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name)

/** Every setting of the service. */
const settingLines = (): string =>
  Object.values(settings)
    .map(({ name, about, fallback }) => `  ${name.padEnd(26)} ${about}${fallback ? ` (default ${fallback})` : ''}`)
    .join('\n')

const helpOf = (name: CommandName): string => (name === 'serve' ? `${help.serve}\n${settingLines()}` : help[name])

const run = async (words: string[]): Promise<number> => {
  const [name, ...rest] = words
  if (name === undefined || isHelp(name) || name === 'help') {
    console.log(usage())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    console.log(version)
    return 0
  }
  if (!isCommand(name)) {
    console.error(`Unknown command "${name}".\n\n${usage()}`)
    return 2
  }
  if (rest.some(isHelp)) {
    console.log(helpOf(name))
    return 0
  }
  return (await commands[name].load()).run(rest)
}

// Whatever a command or the service creates is its owner's alone.
process.umask(0o077)
try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  const isExpected = error instanceof AppError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  console.error(isExpected || process.env.LOG_LEVEL !== 'debug' ? (error as Error).message : error)
  process.exit(1)
}
