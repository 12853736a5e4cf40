import { operation } from '../../../operations/operation.js'
import { listOf, records } from '../../../operations/result.js'
import { Reservation, ReservationList } from './schema.js'
import * as resources from './service.js'

export const listReservations = operation({
  name: 'listReservations',
  summary: 'List the resources that claims reserve',
  subject: 'Claims',
  kind: 'read',
  scope: 'tasks:read',
  input: ReservationList,
  output: listOf(Reservation),
  errors: ['NOT_FOUND'],
  run: async (call, query) => records(query, await resources.listReservations(call, query)),
})
