import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../config.js'
import { createLogger } from '../logger.js'
import { type Command, expectWords, printJson } from './command.js'

const help = 'Usage: worklore openapi\n\nPrints the OpenAPI document that the service gives at /openapi.json.'

export const openapiCommand: Command = {
  about: 'Print the OpenAPI document',
  help,
  run: async (words) => {
    expectWords(words, help)
    const dataDir = mkdtempSync(join(tmpdir(), 'worklore-openapi-'))
    const { createService } = await import('../app.js')
    const service = await createService({ ...readConfig({}), dataDir, embeddings: 'off' }, createLogger('silent'))
    printJson((await service.app.inject('/openapi.json')).json())
    await service.close()
    rmSync(dataDir, { recursive: true })
    return 0
  },
}
