import { scopes } from '../operations/actor.js'

/** What each command explains of itself. Nothing here needs a store or its driver. */
export const help = {
  serve: `Usage: worklore serve

Runs the service until SIGTERM or SIGINT. Settings, as environment variables:
`,

  migrate: `Usage: worklore migrate

Creates the database if it does not exist and updates its schema. The service does the same on every start.
Where the PostgreSQL database has the Citus extension, the tables of a new database are distributed by tenant.`,

  distribute: `Usage: worklore distribute

Distributes the tables of a database that was created before it had the Citus extension: by tenant, or to every node
what belongs to no tenant. All of it is one transaction, during which nothing can be written; stop the service first.`,

  doctor: `Usage: worklore doctor

Prints which engine the database uses and whether its schema is up to date. With Citus, also which tables are where and
how many tenants each node has, and whether links or counts have to be rebuilt. Exits with 1 if something is to be
done.`,

  rebuild: `Usage: worklore rebuild [search|links|counts]

Rebuilds derived data of all tenants: the search index, the links between notes, or the counts that tasks show and the
queue of ready tasks; without a word, all of them. Stop the service first: it would keep its search index in memory.
The service builds the index at its next start, and embeds only texts whose vectors are missing.`,

  tenants: `Usage:
  worklore tenants create NAME [--plan PLAN]   Creates a tenant; prints it with its first admin key
  worklore tenants list
  worklore tenants set-plan TENANT PLAN        Takes effect immediately; usage counts are kept
  worklore tenants delete TENANT --yes         Deletes a tenant and all its data, in small steps. Nobody can use it from the
                                               first step on. Run it again if it was interrupted

TENANT is an id or a name. Can be used while the service is running.`,

  keys: `Usage:
  worklore keys create TENANT NAME --scope SCOPE... [--project PROJECT]... [--user USER] [--expires TIME]
  worklore keys list TENANT
  worklore keys revoke TENANT KEY_ID           Takes effect immediately

SCOPE is one of ${scopes.join(', ')}; repeat --scope for several. TENANT is an id or a name. TIME is a timestamp such as
2030-01-31T09:00:00Z, in the future.`,

  console: `Usage: worklore console [--tenant TENANT] [--key KEY_ID]

Prints a link that signs in to the web console in a browser: once, within 10 minutes, as the key KEY_ID or else as the
first admin key of TENANT, by id or name. With a single tenant, --tenant is not needed. The address is that of the
service with the same settings: WORKLORE_URL, or else HOST and PORT.`,

  secrets: `Usage:
  worklore secrets rotate         Encrypt all webhook secrets with a new key
  worklore secrets reset --yes    Start over after the key was lost

rotate: with a key file, a new key is written to it and running services pick it up. With WORKLORE_SECRET_KEY, set it
to NEW,OLD, restart every node, run this command with the same setting, then set it to NEW alone. If it is
interrupted, run it again.

reset: webhooks whose secret cannot be decrypted get a new one and are disabled. Their owners rotate the secret with
POST /v1/webhooks/:id/rotate-secret and enable them.`,

  audit: `Usage: worklore audit [--tenant TENANT] [--action ACTION] [--key KEY_ID] [--since TIME] [--until TIME] [--limit N]

Prints the audit log, newest first, at most N entries (100): of TENANT, by id or name; or without --tenant what belongs
to none: authentications with unknown keys, by address and hour, and actions on the store as a whole. ACTION is one such
as key.created, or all of a kind: 'key.*'. TIME is a date or a timestamp with a time zone. Entries are kept for a year.`,

  backup: `Usage: worklore backup FILE

Writes a consistent copy of the embedded database to FILE, while the service runs, and checks it. FILE is
self-contained and readable only by its owner.
With DATABASE_URL, use PostgreSQL's own tool: pg_dump --format=custom --file=FILE "$DATABASE_URL"`,

  restore: `Usage: worklore restore FILE --yes

Replaces the embedded database with a backup. FILE is checked first: anything but a complete Worklore database of this
or an older version is refused, and nothing is changed. The replaced database is kept next to it under a dated name.
The service may keep running; writes wait in the meantime.

The event log is then empty and event sequences continue more than 1,000,000,000 above the highest known one: readers
with a position from before get 410 GONE and must read the records again. Webhooks continue from there.

With DATABASE_URL, stop every node, use PostgreSQL's own tool, then run after-restore:
  pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE
  worklore after-restore --yes`,

  'after-restore': `Usage: worklore after-restore --yes

Prepares a database that was restored with another tool, such as pg_restore. Run it once, after the restore and before
the first node starts. "worklore restore" includes this step.`,

  openapi: `Usage: worklore openapi

Prints the OpenAPI document that the service serves at /openapi.json.`,
} as const

export type CommandName = keyof typeof help
