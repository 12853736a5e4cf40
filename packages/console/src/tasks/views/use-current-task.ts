import { useState } from 'react'
import { useQuery } from '../../query'

/** The task that the keys act on: the one that was opened or moved to last. */
export const useCurrentTask = (): [id: string | null, setId: (id: string) => void] => {
  const { task: openTask } = useQuery()
  const [id, setId] = useState<string | null>(openTask ?? null)
  const [lastOpen, setLastOpen] = useState(openTask)
  if (openTask !== lastOpen) {
    setLastOpen(openTask)
    if (openTask) setId(openTask)
  }
  return [id, setId]
}
