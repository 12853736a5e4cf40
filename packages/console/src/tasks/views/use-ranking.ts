import { useRank } from '../use-rank'

type Step = 'up' | 'down' | 'top' | 'bottom'

/** Keys that order a task by hand among those that are shown with it. */
export const useRanking = (
  selected: string | null,
  /** The ids around the selected one, in the order shown. */
  shownWith: () => readonly string[],
  onRank: () => void = () => undefined,
): Record<string, () => void> => {
  const rank = useRank()
  if (!selected) return {}
  const move = (step: Step) => (): void => {
    const ids = shownWith()
    const at = ids.indexOf(selected)
    const isUp = step === 'up' || step === 'top'
    const neighbour = ids[isUp ? at - 1 : at + 1]
    if (at < 0 || neighbour === undefined) return
    onRank()
    if (step === 'top' || step === 'bottom') void rank(selected, { to: step })
    else void rank(selected, isUp ? { before: neighbour } : { after: neighbour })
  }
  return {
    'Shift+j': move('down'),
    'Shift+k': move('up'),
    'Shift+ArrowDown': move('down'),
    'Shift+ArrowUp': move('up'),
    'Shift+t': move('top'),
    'Shift+b': move('bottom'),
  }
}
