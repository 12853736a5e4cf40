import type { Migration } from '../migration.js'

/** Users sign in with accounts of OpenID Connect issuers. */
export const signIn: Migration = {
  version: 34,
  name: 'sign-in',
  statements: ({ keyText, clustered }) => [
    // `mapped_role` is the role that a claim gave at the last sign-in, where one did.
    `create table user_identities (
      tenant_id ${keyText} not null,
      issuer ${keyText} not null,
      subject ${keyText} not null,
      user_id ${keyText} not null,
      mapped_role ${keyText},
      created_at bigint not null,
      primary key (tenant_id, issuer, subject),
      foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
    )${clustered}`,
    'create index user_identities_by_user on user_identities (tenant_id, user_id, issuer)',

    // Users who signed in act through a key without a secret.
    `create index sign_in_keys on api_keys (tenant_id, user_id) where prefix = ''`,

    // A link of a sign-in works only in the browser that began it.
    'alter table console_links add column browser_hash text',
    // The session at the issuer, whose end ends this one.
    'alter table console_links add column issuer text',
    'alter table console_links add column issuer_session text',
    'alter table console_sessions add column issuer text',
    'alter table console_sessions add column issuer_session text',
  ],
}
