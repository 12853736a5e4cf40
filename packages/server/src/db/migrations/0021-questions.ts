import type { Migration } from '../migration.js'

/** Questions about tasks, which wait for an answer. */
export const questions: Migration = {
  version: 21,
  name: 'questions',
  statements: ({ keyText }) => [
    'alter table tasks add column open_questions bigint not null default 0',
    `create table questions (
      tenant_id ${keyText} not null,
      id ${keyText} not null,
      task_id ${keyText} not null,
      project_id ${keyText} not null,
      state ${keyText} not null,
      to_user_id ${keyText},
      version bigint not null,
      doc text not null,
      primary key (tenant_id, id)
    )`,
    // Ids sort by the time they were made at.
    'create index questions_of_task on questions (tenant_id, task_id, state, id)',
    'create index questions_by_state on questions (tenant_id, state, id)',
    'create index questions_of_project on questions (tenant_id, project_id, state, id)',
    'create index questions_to_user on questions (tenant_id, to_user_id, state, id) where to_user_id is not null',
  ],
}
