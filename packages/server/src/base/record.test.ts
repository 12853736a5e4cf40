import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Static, Type } from 'typebox'
import { emptyForNull, flag, json, plain, time } from './columns.js'
import { defineRecord, field } from './record.js'

const Color = Type.Enum(['red', 'green'])

const lamp = defineRecord({
  id: field(Type.String(), { setBy: 'service on create', column: plain('id') }),
  room: field(Type.Union([Type.String(), Type.Null()]), {
    setBy: 'caller on create',
    initial: null,
    column: emptyForNull('room_id'),
  }),
  label: field(Type.String(), {
    setBy: 'caller',
    read: (label: string, report) => {
      if (label.trim() === '') report('must not be empty')
      return label.trim()
    },
    column: plain('label'),
  }),
  colors: field(Type.Array(Color), { setBy: 'caller', initial: [], column: json('colors') }),
  address: field(Type.String(), { setBy: 'caller', isOptional: true, column: null }),
  isOn: field(Type.Boolean(), { setBy: 'caller on change', initial: false, column: flag('is_on') }),
  changedAt: field(Type.String(), { setBy: 'service', column: time('changed_at') }),
  brokenAt: field(Type.Union([Type.String(), Type.Null()]), {
    setBy: 'elsewhere',
    initial: null,
    column: time('broken_at'),
  }),
})
const Lamp = Type.Object(lamp.answer)
type Lamp = Static<typeof Lamp>

const at = '2026-01-31T09:00:00.000Z'
const given = { id: 'l1', address: 'a', changedAt: at }
const kitchen: Lamp = lamp.make({ label: 'Kitchen', room: 'r1', colors: ['red'] }, given)

describe('defineRecord', () => {
  it('derives the fields of requests from who sets them', () => {
    assert.deepEqual(Object.keys(lamp.answer), Object.keys(lamp.fields))
    assert.deepEqual(Type.Object(lamp.create).required, ['label'])
    assert.deepEqual(Object.keys(lamp.create), ['room', 'label', 'colors', 'address'])
    assert.deepEqual(Object.keys(lamp.patch), ['label', 'colors', 'address', 'isOn'])
    assert.equal(Type.Object(lamp.patch).required, undefined)
  })

  it('makes a record from the input, values of the service and initial values, in field order', () => {
    assert.equal(
      JSON.stringify(lamp.make({ label: 'Hall' }, given)),
      `{"id":"l1","room":null,"label":"Hall","colors":[],"address":"a","isOn":false,"changedAt":"${at}","brokenAt":null}`,
    )
    assert.equal(lamp.make({ label: 'Hall', room: 'r1' }, { ...given, room: null }).room, null)
  })

  it('reads inputs and reports their problems', () => {
    assert.deepEqual(lamp.read({ label: ' Hall ' }), [{ label: 'Hall' }, []])
    assert.deepEqual(lamp.read({ label: ' ' })[1], [{ path: 'label', message: 'must not be empty' }])
    assert.deepEqual(lamp.read({ isOn: true }), [{ isOn: true }, []])
  })

  it('writes a record to its columns and reads it back', () => {
    assert.equal(lamp.row.columns(), 'id, room_id, label, colors, is_on, changed_at, broken_at')
    assert.equal(lamp.row.columns({ label: 'lower(label)' }).split(', ')[2], 'lower(label) as label')
    const { columns, marks, values } = lamp.row.insert
    assert.equal(columns, 'id, room_id, label, colors, is_on, changed_at')
    assert.equal(marks, '?, ?, ?, ?, ?, ?')
    assert.deepEqual(values(kitchen), ['l1', 'r1', 'Kitchen', '["red"]', 0, Date.parse(at)])
    const names = columns.split(', ')
    const row = Object.fromEntries(values(kitchen).map((value, index) => [names[index], value]))
    const { address, ...stored } = kitchen
    assert.deepEqual(lamp.row.read({ ...row, broken_at: null }), stored)
  })

  it('updates neither columns that are fixed on create nor columns that are written elsewhere', () => {
    assert.equal(lamp.row.update.assignments, 'label = ?, colors = ?, is_on = ?, changed_at = ?')
    assert.deepEqual(lamp.row.update.values(kitchen), ['Kitchen', '["red"]', 0, Date.parse(at)])
  })

  it('splits the columns of an update', () => {
    const [named, others] = lamp.row.update.split('isOn', 'changedAt')
    assert.deepEqual([named.assignments, others.assignments], ['is_on = ?, changed_at = ?', 'label = ?, colors = ?'])
    assert.deepEqual(others.values(kitchen), ['Kitchen', '["red"]'])
  })

  it('restores the fields that callers can change, with initial values for those that a version lacks', () => {
    assert.deepEqual(lamp.restored({ id: 'l1', label: 'Old', address: 'b' }), {
      label: 'Old',
      colors: [],
      address: 'b',
      isOn: false,
    })
  })

  it('does not compile with an incomplete description', () => {
    // @ts-expect-error: no setter
    field(Type.String(), { column: plain('name') })
    // @ts-expect-error: no column
    field(Type.String(), { setBy: 'caller' })
    // @ts-expect-error: the initial value is not a string
    field(Type.String(), { setBy: 'caller', initial: 1, column: plain('name') })
    // @ts-expect-error: the column cannot store the value
    field(Type.Array(Color), { setBy: 'caller', initial: [], column: plain('colors') })
    // @ts-expect-error: misspelled property
    field(Type.String(), { setBy: 'caller', inital: '', column: plain('name') })
    // @ts-expect-error: the address, which has no initial value, is missing
    lamp.make({ label: 'Hall' }, { id: 'l1', changedAt: at })
    // @ts-expect-error: callers must give a label
    lamp.make({}, given)
  })
})
