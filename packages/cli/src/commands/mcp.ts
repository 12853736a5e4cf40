import { runMcpBridge } from 'worklore-client/mcp'
import { command } from '../command.js'

export const mcp = command({
  run: async (cli) => {
    await runMcpBridge(process.stdin.setEncoding('utf8'), {
      baseUrl: cli.settings.url,
      apiKey: cli.key(),
      write: (message) => process.stdout.write(`${message}\n`),
      onError: cli.note,
    })
    return undefined
  },
})
