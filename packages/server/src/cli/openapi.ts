import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService } from '../app.js'
import { readConfig } from '../config.js'
import { createLogger } from '../observability/logger.js'
import { expectWords, printJson, type RunCommand } from './command.js'
import { help } from './help.js'

export const run: RunCommand = async (words) => {
  expectWords(words, help.openapi)
  const dataDir = mkdtempSync(join(tmpdir(), 'worklore-openapi-'))
  try {
    const service = await createService({ ...readConfig({}), dataDir, embeddings: 'off' }, createLogger('silent'))
    printJson((await service.app.inject('/openapi.json')).json())
    await service.close()
  } finally {
    rmSync(dataDir, { recursive: true })
  }
  return 0
}
