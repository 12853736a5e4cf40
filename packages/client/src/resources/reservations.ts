import { createListing, type Listing } from '../listing.js'
import type { CallOptions } from '../options.js'
import type { Transport } from '../transport.js'
import type { ListReservationsAnswer, ListReservationsQuery } from '../types.gen.js'

export interface Reservations {
  /** Lists what live claims reserve, by project and resource. */
  list(query?: ListReservationsQuery, options?: CallOptions): Listing<ListReservationsAnswer>
}

export const createReservations = (transport: Transport): Reservations => ({
  list: (query = {}, options = {}) => createListing(transport, '/v1/resources', query, options),
})
