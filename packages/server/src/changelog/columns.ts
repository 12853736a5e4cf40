/** The columns that reads of the log return. */
const logColumns = {
  sequence: 'bigint',
  id: 'text',
  type: 'text',
  project_id: 'text',
  created_at: 'bigint',
  actor: 'text',
  request_id: 'text',
  via: 'text',
  traceparent: 'text',
  undoes: 'text',
  data: 'text',
  previous: 'text',
} as const

/** Adds the columns that are only used to look up events. */
export const eventColumns = { ...logColumns, subject: 'text', about: 'text', item_id: 'text', key_id: 'text' } as const

export const shownEventColumns = Object.keys(logColumns).join(', ')

/** All columns of a version except `tenant_id`. */
export const versionColumns = {
  sequence: 'bigint',
  place: 'bigint',
  event_id: 'text',
  type: 'text',
  record: 'text',
  project_id: 'text',
  version: 'bigint',
  before_version: 'bigint',
  created_at: 'bigint',
  key_id: 'text',
  actor: 'text',
  request_id: 'text',
  via: 'text',
  claim: 'text',
  undoes: 'text',
  item_key: 'text',
  rest: 'text',
  before: 'text',
} as const

const { before: _, ...entryColumns } = versionColumns

/** The columns of a change in the history, except the replaced text. */
export const shownHistoryColumns = Object.keys(entryColumns).join(', ')
