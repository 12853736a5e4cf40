import type { Migration } from '../migration.js'

/** Keys, projects and tenants can be paused: who did it, when and why, as JSON. */
export const pauses: Migration = {
  version: 36,
  name: 'pauses',
  statements: () => [
    'alter table tenants add column paused text',
    'alter table api_keys add column paused text',
    'alter table projects add column paused text',
    'create index paused_projects on projects (tenant_id, id) where paused is not null',
  ],
}
