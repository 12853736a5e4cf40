import { type Exchange, exchangeBy } from './exchange.js'

/** Of browsers and of all others whose `fetch` is their own. */
export const ownExchange: Exchange = (url, request) => exchangeBy(fetch)(url, request)
