import type { Dialect } from '../../dialect.js'

/** Tables of users and of the keys and sessions that they act with. */
export const userTables = ({ keyText, clustered }: Dialect): string[] => [
  `create table users (
    tenant_id ${keyText} not null references tenants,
    id ${keyText} not null,
    name text not null,
    -- The name to mention the user by.
    handle ${keyText},
    email text,
    kind text not null,
    role ${keyText} not null default 'member',
    -- Counts changes of the name, which tasks show for their assignee, so that their ETags change with it.
    renames bigint not null default 0,
    -- The user as JSON, as it appears in tasks.
    assignee_doc text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (tenant_id, id)
  )`,
  'create unique index users_by_handle on users (tenant_id, handle)',

  // Accounts at OpenID Connect issuers with which users sign in.
  `create table user_identities (
    tenant_id ${keyText} not null,
    issuer ${keyText} not null,
    subject ${keyText} not null,
    user_id ${keyText} not null,
    -- The role that a claim of the issuer gave at the last sign-in.
    mapped_role ${keyText},
    created_at bigint not null,
    primary key (tenant_id, issuer, subject),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
  )${clustered}`,
  'create index user_identities_by_user on user_identities (tenant_id, user_id, issuer)',

  `create table api_keys (
    tenant_id ${keyText} not null references tenants,
    id ${keyText} not null,
    name text not null,
    -- The first characters of the secret. Empty for a key without one, which users who signed in act through.
    prefix text not null,
    -- JSON arrays, as are allowed_addresses; null for no restriction.
    scopes text not null,
    project_ids text,
    allowed_addresses text,
    user_id text,
    -- The user of the key, also after the user was deleted: who has worked on a task stays known.
    last_user_id ${keyText},
    expires_at bigint,
    revoked_at bigint,
    -- Who paused the key, when and why, as JSON.
    paused text,
    created_at bigint not null,
    last_used_at bigint,
    primary key (tenant_id, id)
  )`,
  'create index api_keys_living on api_keys (tenant_id, created_at, id) where revoked_at is null',
  `create index sign_in_keys on api_keys (tenant_id, user_id) where prefix = ''`,

  // A key has one secret. During a rotation it has two, and the older one expires.
  `create table key_secrets (
    tenant_id ${keyText} not null,
    key_id ${keyText} not null,
    hash ${keyText} not null,
    expires_at bigint,
    primary key (tenant_id, key_id, hash),
    foreign key (tenant_id, key_id) references api_keys (tenant_id, id)
  )${clustered}`,

  // Belongs to no tenant: finds the tenant of a request by the hash of its secret.
  `create table key_hashes (
    hash ${keyText} primary key,
    tenant_id ${keyText} not null,
    key_id ${keyText} not null
  )${clustered}`,
  'create index key_hashes_by_tenant on key_hashes (tenant_id)',

  // Sessions of the web console. A request needs both halves of the secret, the cookie and the header.
  `create table console_sessions (
    tenant_id ${keyText} not null,
    id ${keyText} not null,
    key_id ${keyText} not null,
    cookie_hash text not null,
    secret_hash text not null,
    by_link bigint not null default 0,
    created_at bigint not null,
    last_used_at bigint not null,
    expires_at bigint not null,
    -- Set if the session cannot be renewed beyond it.
    ends_at bigint,
    address text,
    user_agent text,
    -- The session at the OpenID Connect issuer, whose end ends this one.
    issuer text,
    issuer_session text,
    primary key (tenant_id, id)
  )${clustered}`,
  'create index console_sessions_by_creation on console_sessions (tenant_id, created_at, id)',
  'create index console_sessions_by_key on console_sessions (tenant_id, key_id, created_at, id)',

  // One-time links that open a console session.
  `create table console_links (
    tenant_id ${keyText} not null,
    hash ${keyText} not null,
    key_id ${keyText} not null,
    -- The prefix of the key when the link was made: a link does not outlive a rotation.
    secret_prefix text not null,
    -- A link made by a sign-in works only in the browser that began it.
    browser_hash text,
    issuer text,
    issuer_session text,
    expires_at bigint not null,
    primary key (tenant_id, hash)
  )${clustered}`,

  // Logout tokens that issuers have sent, until they expire: each is accepted once.
  `create table logout_tokens (
    tenant_id ${keyText} not null,
    hash ${keyText} not null,
    expires_at bigint not null,
    primary key (tenant_id, hash)
  )${clustered}`,
]
