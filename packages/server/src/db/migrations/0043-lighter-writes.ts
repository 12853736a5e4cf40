import type { Migration } from '../migration.js'

/**
 * What each write of a task pays for and nothing needs: the indexes by which programs before version 42 looked over all
 * tenants, and keys to rows that the same transaction has just written, which PostgreSQL looks up again with a statement
 * of its own for each task.
 */
export const lighterWrites: Migration = {
  version: 43,
  name: 'lighter writes',
  minVersion: 42,
  statements: ({ name }) => [
    'drop index tasks_by_claim_end',
    'drop index tasks_by_wake_up',
    'drop index stale_checks_due',
    'drop index trash_by_age',
    ...(name === 'postgres'
      ? [
          'alter table tasks drop constraint tasks_tenant_id_project_id_fkey',
          'alter table projects drop constraint projects_tenant_id_fkey',
        ]
      : []),
  ],
}
