import type { Migration } from '../migration.js'

/** Tasks can change their project: what belongs to a task says itself in which project it is. */
export const moves: Migration = {
  version: 29,
  name: 'moves',
  statements: ({ keyText }) => [
    // The project of a deleted task is still that of its id: none has been moved yet.
    `alter table comments add column project_id ${keyText} not null default ''`,
    `update comments set project_id = coalesce(
       (select t.project_id from tasks t where t.tenant_id = comments.tenant_id and t.id = comments.task_id),
       (select p.id from projects p where p.tenant_id = comments.tenant_id
          and substr(comments.task_id, 1, length(p.key) + 1) = p.key || '-'),
       '')`,
    'create index comments_of_project on comments (tenant_id, project_id)',
  ],
}
