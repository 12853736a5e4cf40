import { createListing, type Listing } from '../listing.js'
import type { CallOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type { ListReservationsAnswer, ListReservationsQuery } from '../types.gen.js'

export const createReservations = (transport: Transport) => ({
  /** What live claims reserve, by project and resource. */
  list: (query: ListReservationsQuery = {}, options: CallOptions = {}): Listing<ListReservationsAnswer> =>
    createListing(transport, '/v1/resources', query, options),
})

export type Reservations = ReturnType<typeof createReservations>
