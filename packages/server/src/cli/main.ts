import { AppError } from '../errors.js'
import { version } from '../version.js'
import { backupCommand, restoreCommand } from './backup.js'
import type { Command } from './command.js'
import { keysCommand } from './keys.js'
import { migrateCommand } from './migrate.js'
import { openapiCommand } from './openapi.js'
import { serveCommand } from './serve.js'
import { tenantsCommand } from './tenants.js'

const commands: Record<string, Command> = {
  serve: serveCommand,
  migrate: migrateCommand,
  tenants: tenantsCommand,
  keys: keysCommand,
  backup: backupCommand,
  restore: restoreCommand,
  openapi: openapiCommand,
}

const usage = (): string => {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`)
  return `worklore ${version}: tasks and knowledge in one service\n\nUsage: worklore <command> [options]\n\n${lines.join('\n')}\n\nEach command explains itself with --help. Settings are environment variables.`
}

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h' || word === 'help'

const run = async (words: string[]): Promise<number> => {
  const [name, ...rest] = words
  if (name === undefined || isHelp(name)) {
    console.log(usage())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    console.log(version)
    return 0
  }
  const command = commands[name]
  if (!command) {
    console.error(`There is no command "${name}".\n\n${usage()}`)
    return 2
  }
  if (rest.some((word) => word === '--help' || word === '-h')) {
    console.log(command.help)
    return 0
  }
  return command.run(rest)
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  const isExpected = error instanceof AppError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  console.error(isExpected || process.env.LOG_LEVEL !== 'debug' ? (error as Error).message : error)
  process.exit(1)
}
