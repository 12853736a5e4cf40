import { freeHandle, handleFrom } from '../../base/handle.js'
import type { Migration } from '../migration.js'
import type { Sql } from '../port.js'

interface UserRow {
  tenant_id: string
  id: string
  name: string
}

const usersPerStep = 1_000

/** In the order of their creation: of two users with one name, the older has it without a number. */
const giveHandles = async (tx: Sql): Promise<void> => {
  let taken = new Set<string>()
  let last: readonly [tenantId: string, createdAt: number, id: string] = ['', 0, '']
  for (;;) {
    const users = await tx.all<UserRow & { created_at: number }>(
      `select tenant_id, id, name, created_at from users where (tenant_id, created_at, id) > (?, ?, ?)
       order by tenant_id, created_at, id limit cast(? as bigint)`,
      [...last, usersPerStep],
    )
    for (const { tenant_id, id, name, created_at } of users) {
      if (tenant_id !== last[0]) taken = new Set()
      const handle = freeHandle(handleFrom(name), (wanted) => taken.has(wanted))
      taken.add(handle)
      await tx.run('update users set handle = ? where tenant_id = ? and id = ?', [handle, tenant_id, id])
      last = [tenant_id, created_at, id]
    }
    if (users.length < usersPerStep) return
  }
}

/** Users have a handle to be mentioned by, and webhooks send what is meant for users to chats. */
export const handles: Migration = {
  version: 22,
  name: 'handles',
  statements: ({ keyText }) => [
    `alter table users add column handle ${keyText}`,
    'create unique index users_by_handle on users (tenant_id, handle)',
    `alter table webhooks add column format ${keyText} not null default 'standard'`,
    // A user, or 'humans'; where it is set, the webhook sends inbox entries in place of events.
    `alter table webhooks add column inbox_of ${keyText}`,
    // The URL of a chat is a secret: encrypted, with only its origin in `url`.
    'alter table webhooks add column sealed_url text',
  ],
  fill: giveHandles,
}
