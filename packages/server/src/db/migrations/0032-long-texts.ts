import type { Migration } from '../migration.js'

/** Texts that were embedded as far as 64 windows reach are embedded again, to their end. */
export const longTexts: Migration = {
  version: 32,
  name: 'long texts',
  statements: () => [
    `insert into embedding_queue (tenant_id, model, kind, project_id, subject, changed_at)
     select tenant_id, model, kind, project_id, subject, 0 from embeddings where windows = 64
     on conflict (tenant_id, model, kind, project_id, subject) do nothing`,
  ],
}
