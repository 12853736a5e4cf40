import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changedFields } from './record.js'

describe('changedFields', () => {
  it('gives the fields that differ as they were before', () => {
    const before = { title: 'a', labels: ['x'], dueDate: null }
    assert.deepEqual(changedFields(before, { ...before, labels: ['x', 'y'] }), { labels: ['x'] })
    assert.deepEqual(changedFields(before, { ...before }), {})
  })

  it('sees a field that the stored record lacks, and gives it as null', () => {
    const before: { title: string; parentId?: string | null } = { title: 'a' }
    const changed = changedFields(before, { ...before, parentId: 'WEB-1' })
    assert.equal(JSON.stringify(changed), '{"parentId":null}')
  })

  it('takes a field that is absent or undefined for null', () => {
    const before: { title: string; parentId?: string | null } = { title: 'a' }
    assert.deepEqual(changedFields(before, { ...before, parentId: null }), {})
    assert.deepEqual(changedFields(before, { ...before, parentId: undefined as never }), {})
  })

  it('sees a field that is gone', () => {
    const before: { title: string; parentId?: string } = { title: 'a', parentId: 'WEB-1' }
    assert.deepEqual(changedFields(before, { title: 'a' }), { parentId: 'WEB-1' })
  })
})
