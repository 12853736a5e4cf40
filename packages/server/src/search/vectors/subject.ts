import { knowledgeRef } from '../records.js'

export type EmbeddedKind = 'task' | 'knowledge'

/** A record as the log names it. */
export interface Subject {
  kind: EmbeddedKind
  project_id: string
  subject: string
}

/** One tenant's records, or their vectors, for one model. */
export interface Shelf {
  tenantId: string
  model: string
}

/** The name under which the words' index knows the record. */
export const refOf = ({ kind, project_id, subject }: Subject): string =>
  kind === 'task' ? subject : knowledgeRef(subject, project_id)
