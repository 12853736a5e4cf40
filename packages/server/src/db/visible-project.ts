/**
 * A condition on the rows of a table, whose parameter is the tenant: what is in a project that is being deleted is gone.
 * Whether there is such a project at all is asked once, and its rows are looked at only then.
 */
export const ofVisibleProject = (table: string): string =>
  `(not exists (select 1 from projects p where p.tenant_id = ? and p.deleting_at is not null)
    or not exists (select 1 from projects p
      where p.tenant_id = ${table}.tenant_id and p.id = ${table}.project_id and p.deleting_at is not null))`
