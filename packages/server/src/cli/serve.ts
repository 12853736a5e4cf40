import { settings } from '../config.js'
import { serve } from '../main.js'
import type { Command } from './command.js'

const settingLines = Object.values(settings).map(
  ({ name, about, fallback }) => `  ${name.padEnd(24)} ${about}${fallback ? ` (default ${fallback})` : ''}`,
)

export const serveCommand: Command = {
  about: 'Run the service',
  help: `Usage: worklore serve\n\nRuns the service until SIGTERM or SIGINT. Settings, as environment variables:\n\n${settingLines.join('\n')}`,
  run: async () => {
    await serve(process.env)
    return 0
  },
}
