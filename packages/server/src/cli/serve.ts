import { settings } from '../config.js'
import type { Command } from './command.js'

const settingLines = Object.values(settings).map(
  ({ name, about, fallback }) => `  ${name.padEnd(24)} ${about}${fallback ? ` (default ${fallback})` : ''}`,
)

export const serveCommand: Command = {
  about: 'Run the service',
  help: `Usage: worklore serve\n\nRuns the service until SIGTERM or SIGINT. Settings, as environment variables:\n\n${settingLines.join('\n')}`,
  run: async () => {
    // Loaded here, since no other command needs the server.
    const { serve } = await import('../main.js')
    await serve(process.env)
    return 0
  },
}
