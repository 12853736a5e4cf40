import type { Migration } from '../migration.js'

/** What keys do: their requests, their waits for work, and how their claims ended. */
export const usage: Migration = {
  version: 37,
  name: 'usage',
  statements: ({ keyText, clustered }) => [
    // Counted by the hour and by the day, both in UTC; hours are kept for two days. A request about no project has an
    // empty project.
    `create table usage_counts (
      tenant_id ${keyText} not null,
      span ${keyText} not null,
      starts_at bigint not null,
      key_id ${keyText} not null,
      project_id ${keyText} not null,
      metric ${keyText} not null,
      value bigint not null,
      primary key (tenant_id, span, starts_at, key_id, project_id, metric)
    )${clustered}`,

    // Until when a worker counts as waiting for a task; without a name it is empty.
    `create table agent_waits (
      tenant_id ${keyText} not null,
      key_id ${keyText} not null,
      worker ${keyText} not null,
      waits_until bigint not null,
      primary key (tenant_id, key_id, worker)
    )${clustered}`,

    `create table ended_claims (
      tenant_id ${keyText} not null,
      task_id ${keyText} not null,
      number bigint not null,
      key_id ${keyText} not null,
      worker ${keyText},
      project_id ${keyText} not null,
      claimed_at bigint not null,
      ended_at bigint not null,
      outcome ${keyText} not null,
      primary key (tenant_id, task_id, number)
    )${clustered}`,
    'create index ended_claims_by_time on ended_claims (tenant_id, ended_at)',
    'create index ended_claims_of_key on ended_claims (tenant_id, key_id, ended_at)',
  ],
}
