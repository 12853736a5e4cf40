import type { Place } from '../../store/cards/task-card'

/** Where a card that is dragged would come: beside which other one, and on which side of it. */
export interface DropPlace {
  id: string
  side: 'before' | 'after'
}

/** By the cards of a column that are in the document, without the one that is dragged. */
export const dropPlaceAt = (column: Element, clientY: number, dragged: string): DropPlace | null => {
  const cards = [...column.querySelectorAll<HTMLElement>('[data-card]')].filter((card) => card.dataset.card !== dragged)
  const below = cards.find((card) => {
    const { top, height } = card.getBoundingClientRect()
    return clientY < top + height / 2
  })
  if (below) return { id: below.dataset.card!, side: 'before' }
  const last = cards.at(-1)
  return last ? { id: last.dataset.card!, side: 'after' } : null
}

export const isSameDrop = (a: DropPlace | null, b: DropPlace | null): boolean => a?.id === b?.id && a?.side === b?.side

export const rankOf = ({ id, side }: DropPlace): Place => (side === 'before' ? { before: id } : { after: id })

/** Whether a card is there already. */
export const isAt = (ids: readonly string[], dragged: string, { id, side }: DropPlace): boolean => {
  const at = ids.indexOf(dragged)
  return at >= 0 && ids[side === 'before' ? at + 1 : at - 1] === id
}
