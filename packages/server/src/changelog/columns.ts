/** The columns of an event as the log shows it. */
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

/** With the columns that events are found by. */
export const eventColumns = { ...logColumns, subject: 'text', about: 'text', item_id: 'text', key_id: 'text' } as const

export const shownEventColumns = Object.keys(logColumns).join(', ')

/** Every column of a version besides its tenant. */
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

/** The columns of a change in the history, without the text of what it replaced. */
export const shownHistoryColumns = Object.keys(entryColumns).join(', ')
