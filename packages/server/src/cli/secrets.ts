import { systemClock } from '../base/clock.js'
import { readConfig } from '../config.js'
import { resetSecretKey, rotateSecretKey } from '../db/secrets/service.js'
import { reencryptWebhookSecrets, replaceLostSecrets } from '../subscribers/webhooks/stored-secrets.js'
import { expectWords, type RunCommand, runAction, withRecords } from './command.js'
import { help as helpOf } from './help.js'

const help = helpOf.secrets

export const run: RunCommand = runAction(help, {
  rotate: async (words) => {
    expectWords(words, help)
    return withRecords((db) => rotateSecretKey(db, readConfig(process.env), reencryptWebhookSecrets))
  },
  reset: async (words) => {
    if (!words.includes('--yes'))
      throw new Error('This disables every webhook whose secret is lost. Add --yes to confirm.')
    expectWords(words, help, '--yes')
    return withRecords((db) =>
      resetSecretKey(db, readConfig(process.env), reencryptWebhookSecrets, (db, box) =>
        replaceLostSecrets(db, systemClock, box),
      ),
    )
  },
})
