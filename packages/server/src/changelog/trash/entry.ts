import { newId } from '../../base/ids.js'
import { beginningOf } from '../../base/text.js'
import type { Statement } from '../../db/port.js'
import type { Call } from '../../operations/call.js'
import type { ChangeOrigin } from '../versions/keep.js'
import { type KeptVersion, kindOfType } from '../versions/version.js'
import { insertEntry, moveCommentEntries } from './entry-store.js'

/** Does not apply to knowledge items: their title is the whole key. */
const maxTitleLength = 200

/** The trash entry of the last `count` events, which deleted `top` and what belongs to it. */
export const entryOf = (
  tenantId: string,
  top: KeptVersion,
  title: string,
  origin: Pick<ChangeOrigin, 'createdAtMs' | 'actor'>,
  count: number,
): Statement =>
  insertEntry(
    tenantId,
    {
      id: newId('tra'),
      kind: kindOfType(top.type),
      record: top.record,
      projectId: top.projectId,
      title: top.itemKey ?? beginningOf(title, maxTitleLength),
      version: top.version,
      deletedAtMs: origin.createdAtMs,
      actor: origin.actor,
    },
    count,
  )

/** Deleted comments go with their tasks to another project. */
export const moveDeletedComments = async (
  { db, actor }: Call,
  taskIds: readonly string[],
  projectId: string,
): Promise<void> => {
  await db.runAll([moveCommentEntries(db, actor.tenantId, taskIds, projectId)])
}
