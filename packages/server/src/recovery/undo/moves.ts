import { AppError } from '../../base/errors.js'
import { stayBefore } from '../../changelog/versions/stay.js'
import type { Call } from '../../operations/call.js'
import { findChange, type HistoryRow, type Selection } from '../history/selection.js'
import { isArrival, isDeletion, isDeparture, type States } from '../history/states.js'
import { type Plan, planOf } from './plan.js'

/** So many moves of one item are followed. */
const maxMoves = 100

/** A move is kept twice: for the place where the item is then, and for the one where it was. */
const arrivalPlace = 0
const departurePlace = 1

const movedTooOften = (): AppError => new AppError('CONFLICT', `It was moved more than ${maxMoves} times since.`)

const hasCome = (row: HistoryRow): boolean =>
  isArrival(row) || row.type === 'knowledge.created' || row.type === 'knowledge.restored'

const hasLeft = (row: HistoryRow): boolean => isDeletion(row) || isDeparture(row)

const othersAmong = ({ others }: Plan, changes: readonly HistoryRow[]): HistoryRow[] => {
  const made = new Set(others)
  return changes.filter((row) => made.has(row))
}

/** Where the item is that was at a place. */
interface Location {
  place: Plan
  /** How it ended there; undefined where it is still there. */
  deletion: HistoryRow | undefined
  /** Whether no other item was at any of the places on its way. */
  isAlone: boolean
  /** The changes that others made of it. */
  others: HistoryRow[]
}

/** Where the item at a place was before the selected changes. */
interface Origin {
  /** Undefined where it was not moved, or was created by the selected changes. */
  place: Plan | undefined
  /** Whether no other item was at any of the places on its way. */
  isAlone: boolean
  /** The changes that others made of it. */
  others: HistoryRow[]
}

export interface Moves {
  follow(from: Plan): Promise<Location>
  originOf(at: Plan): Promise<Origin>
  /** Whether a place is itself put back. */
  isSelected(place: Plan): boolean
}

export const movesOf = (call: Call, selection: Selection, states: States): Moves => {
  const planAt = async (sequence: number, place: number): Promise<Plan> => {
    const row = await findChange(call, [sequence, place])
    if (!row) throw new AppError('CONFLICT', 'It was moved, and that part of its history was purged.')
    return planOf(call, selection, states, row)
  }

  /** Where among the changes of a place a deletion was taken back; -1 if it was not. */
  const restorationOf = async ({ changes }: Plan, { sequence, place }: HistoryRow): Promise<number> => {
    for (const [at, row] of changes.entries()) {
      if (row.type !== 'knowledge.restored' || row.sequence < sequence) continue
      const stay = await stayBefore(call.db, call.actor.tenantId, row)
      if (stay?.upTo[0] === sequence && stay.upTo[1] === place) return at
    }
    return -1
  }

  const follow: Moves['follow'] = async (from) => {
    const others: HistoryRow[] = []
    let isAlone = !from.changes.some(hasCome)
    let place = from
    let start = 0
    for (let moves = 0; moves <= maxMoves; moves++) {
      const stay = place.changes.slice(start)
      const end = stay.findIndex(hasLeft)
      const leaving = stay[end]
      others.push(...othersAmong(place, leaving ? stay.slice(0, end + 1) : stay))
      if (leaving !== stay.findLast(hasLeft)) isAlone = false
      if (!leaving) return { place, deletion: undefined, isAlone, others }
      if (isDeletion(leaving)) {
        const restored = await restorationOf(place, leaving)
        if (restored < 0) return { place, deletion: leaving, isAlone, others }
        start = restored
        continue
      }
      const { sequence } = leaving
      place = await planAt(sequence, arrivalPlace)
      start = place.changes.findIndex((row) => row.sequence === sequence)
      if (start > 0 || place.changes.filter(hasCome).length > 1) isAlone = false
    }
    throw movedTooOften()
  }

  const originOf: Moves['originOf'] = async (at) => {
    const others: HistoryRow[] = []
    let place = at
    let end = at.changes.length
    for (let moves = 0; moves <= maxMoves; moves++) {
      const stay = place.changes.slice(0, end)
      const start = stay.findLastIndex(hasCome)
      const coming = stay[start]
      others.push(...othersAmong(place, stay.slice(Math.max(start, 0))))
      if (!coming || !isArrival(coming) || place.others.includes(coming)) {
        const hasOrigin = !coming && place !== at && place.wanted !== null
        if (!hasOrigin) return { place: undefined, isAlone: false, others }
        return { place, isAlone: (await follow(place)).isAlone, others }
      }
      const { sequence } = coming
      place = await planAt(sequence, departurePlace)
      end = place.changes.findIndex((row) => row.sequence === sequence) + 1
    }
    throw movedTooOften()
  }
  return { follow, originOf, isSelected: ({ changes }) => changes.some(selection.isSelected) }
}
