import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTenantWall } from './tenant-wall.js'

const isHeld = (text: string): boolean => {
  const wall = createTenantWall()
  wall.observe(text)
  try {
    wall.check()
    return true
  } catch {
    return false
  }
}

describe('the wall between tenants', () => {
  it('lets a statement through that names its tenant', () => {
    assert.ok(isHeld('select id from tasks where tenant_id = ? and id = ?'))
    assert.ok(isHeld('select t.id from tasks t left join users u on u.tenant_id = t.tenant_id where t.tenant_id = ?'))
    assert.ok(isHeld('insert into events (tenant_id, sequence) values (?, ?)'))
    assert.ok(isHeld('select version from schema_migrations'))
  })

  it('catches one that does not', () => {
    assert.ok(!isHeld('select id from tasks where id = ?'))
    assert.ok(!isHeld('select t.id from tasks t join users u on u.id = t.assignee_id where t.tenant_id = ?'))
    assert.ok(!isHeld('update api_keys set name = ? where id = ?'))
    assert.ok(!isHeld('delete from knowledge where key = ?'))
    assert.ok(
      !isHeld('select t.id from tasks t where t.tenant_id = ? and t.id in (select l.task_id from task_labels l)'),
    )
  })
})
