import { minilmModel } from 'worklore-search'
import { migrate } from '../../../packages/server/dist/src/db/migrate.js'
import { openDb } from '../../../packages/server/dist/src/db/open.js'
import { ownOrigin } from '../../../packages/server/dist/src/operations/call.js'
import {
  hashOfParts,
  partsToEmbed,
} from '../../../packages/server/dist/src/subscribers/search/vectors/embedded-text.js'
import {
  beginPosition,
  nextChange,
} from '../../../packages/server/dist/src/subscribers/search/vectors/position-store.js'
import { saveVectors } from '../../../packages/server/dist/src/subscribers/search/vectors/vector-store.js'
import { putItem } from '../../../packages/server/dist/src/work/knowledge/service.js'
import { firstActor } from '../bulk-load.js'
import { itemContent, itemKey } from '../records.js'

const PER_TRANSACTION = 1_000

const randomVector = (): Uint8Array =>
  new Uint8Array(Int8Array.from({ length: minilmModel.dimensions }, () => Math.floor(Math.random() * 255) - 127).buffer)

/**
 * Adds items with vectors of random numbers, as if they had been embedded, while no server runs: the cost of a search
 * does not depend on what the vectors say, and embedding a hundred thousand texts takes an hour.
 */
export const fillWithVectors = async (
  store: { dataDir: string; databaseUrl: string | undefined },
  from: number,
  to: number,
  onProgress: (done: number) => void,
): Promise<void> => {
  const db = await openDb({ ...store, poolSize: 2 })
  await migrate(db)
  const actor = await firstActor(db)
  const set = { tenantId: actor.tenantId, model: minilmModel.name }
  await beginPosition(db, set)
  for (let start = from; start < to; start += PER_TRANSACTION) {
    const end = Math.min(to, start + PER_TRANSACTION)
    await db.transaction(async (tx) => {
      for (let at = start; at < end; at++) {
        const content = itemContent(at)
        const { id } = await putItem(
          { db: tx, clock: Date.now, actor, origin: ownOrigin('bulkLoad') },
          itemKey(at),
          { content },
          {},
        )
        await saveVectors(
          tx,
          set,
          { kind: 'knowledge', subject: id },
          {
            textHash: hashOfParts(partsToEmbed(content, true)),
            windows: 1,
            change: (await nextChange(tx, set))!,
            vectors: randomVector(),
          },
        )
      }
      await tx.run(
        `update embedding_positions set position = (select last_sequence from tenants t where t.tenant_id = ?)
         where tenant_id = ? and model = ?`,
        [set.tenantId, set.tenantId, set.model],
      )
    })
    onProgress(end)
  }
  await db.close()
}
