import type { Migration } from '../migration.js'

/** The trace that a change belongs to, as its caller named it. */
export const traceparent: Migration = {
  version: 40,
  name: 'traceparent',
  minVersion: 39,
  statements: () => ['alter table events add column traceparent text'],
}
