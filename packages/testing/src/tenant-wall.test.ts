import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTenantWall } from './tenant-wall.js'

const isHeld = (text: string, access: 'read' | 'write' = 'write'): boolean => {
  const wall = createTenantWall()
  wall.observe(text, 0, 'ten_1', access)
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
    assert.ok(isHeld('select t.id from tasks t left join users u on u.tenant_id = :tenant where t.tenant_id = ?'))
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

  it('catches a table whose tenant is given by its join to another, wherever it stands', () => {
    const joined = 'u.tenant_id = t.tenant_id and u.id = t.assignee_id'
    assert.ok(!isHeld(`select t.id from tasks t left join users u on ${joined} where t.tenant_id = ?`))
    assert.ok(!isHeld(`select (select u.name from users u where ${joined}) from tasks t where t.tenant_id = ?`))
    assert.ok(
      !isHeld(`select t.id from tasks t where t.tenant_id = ? and exists (select 1 from users u where ${joined})`),
    )
    assert.ok(
      !isHeld(
        'update users set name = (select name from tenants where tenant_id = users.tenant_id) where tenant_id = ?',
      ),
    )
    const second = 'select t.id from tasks t where t.tenant_id = ?'
    assert.ok(!isHeld(`select t.id from tasks t where t.id = ? union all ${second}`))
    assert.ok(!isHeld(`with other as (select t.id from tasks t) ${second}`))
    assert.ok(!isHeld('select id from tasks join users on users.id = assignee_id where tenant_id = ?'))
  })

  it('looks at each statement inside another', () => {
    const inside = 'select u.name from users u where u.tenant_id = :tenant and (u.id = t.assignee_id or u.id = ?)'
    assert.ok(isHeld(`select (${inside}) from tasks t where (t.tenant_id = ? and t.id = ?)`))
    assert.ok(
      isHeld(
        `insert into users (tenant_id, id) select t.tenant_id, g.id from tenants t cross join given g where t.tenant_id = ?`,
      ),
    )
  })

  it('lets a statement lock and write the rows of one tenant', () => {
    assert.ok(isHeld('select id from tasks where tenant_id = ? and id = ? for update'))
    assert.ok(
      isHeld('insert into events (sequence, tenant_id) select last_sequence, ? from tenants where tenant_id = ?'),
    )
    assert.ok(isHeld('insert into task_labels (tenant_id, label) select cast(? as text), label from json_each(?)'))
    assert.ok(isHeld('insert into tenant_names (name, tenant_id) values (?, ?) on conflict (name) do nothing'))
    assert.ok(
      isHeld(
        'with one as (select * from users where tenant_id = ? for update) update users set name = ? where tenant_id = ?',
      ),
    )
  })

  it('catches one that locks or writes those of several', () => {
    assert.ok(!isHeld('select 1 from limit_windows where tenant_id in (select tenant_id from asked) for update'))
    assert.ok(!isHeld('delete from events where tenant_id in (?, ?)'))
    assert.ok(!isHeld('insert into limit_windows (tenant_id) select tenant_id from tenants where tenant_id in (?, ?)'))
    assert.ok(!isHeld('insert into events (tenant_id, sequence) values (?, ?), (?, ?)'))
    assert.ok(!isHeld('update tenants set plan = ? where tenant_id <> ?'))
    assert.ok(!isHeld('with one as (select * from users where tenant_id = ? for update) update users set name = ?'))
  })

  it('catches a write that is run as a read', () => {
    assert.ok(isHeld('select id from tasks where tenant_id = ? and id = ? for update', 'read'))
    assert.ok(!isHeld('update users set name = ? where tenant_id = ? returning id', 'read'))
    assert.ok(!isHeld('with one as (select 1) delete from users where tenant_id = ? returning id', 'read'))
  })
})
