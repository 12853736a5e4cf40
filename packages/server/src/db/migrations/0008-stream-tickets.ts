import type { Migration } from '../migration.js'

export const streamTickets: Migration = {
  version: 8,
  name: 'stream tickets',
  statements: ({ keyText, clustered }) => [
    // `secret_prefix` is that of the key when the ticket was issued: a ticket does not outlive a rotation.
    `create table stream_tickets (
      tenant_id ${keyText} not null references tenants,
      hash ${keyText} not null,
      key_id ${keyText} not null,
      secret_prefix text not null,
      expires_at bigint not null,
      primary key (tenant_id, hash)
    )${clustered}`,
  ],
}
