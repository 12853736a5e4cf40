import type { Migration } from '../migration.js'

/** Tasks can change their project: what belongs to a task says itself in which project it is. Lists by creator. */
export const moves: Migration = {
  version: 29,
  name: 'moves',
  statements: ({ keyText, jsonField }) => [
    // The project of a deleted task is still that of its id: none has been moved yet.
    `alter table comments add column project_id ${keyText} not null default ''`,
    `update comments set project_id = coalesce(
       (select t.project_id from tasks t where t.tenant_id = comments.tenant_id and t.id = comments.task_id),
       (select p.id from projects p where p.tenant_id = comments.tenant_id
          and substr(comments.task_id, 1, length(p.key) + 1) = p.key || '-'),
       '')`,
    'create index comments_of_project on comments (tenant_id, project_id)',

    // The key that created a task, to list tasks by it.
    `alter table tasks add column created_by ${keyText} not null default ''`,
    `update tasks set created_by = replace(${jsonField(jsonField("doc || '}'", 'createdBy'), 'keyId')}, '"', '')`,
    'create index tasks_by_creator on tasks (tenant_id, created_by, created_at, project_id, number)',
  ],
}
