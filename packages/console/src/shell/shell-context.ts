import { createContext, useContext } from 'react'
import type { NewTask } from '../tasks/create-task'

/** What any page can ask the shell for. */
export interface ShellActions {
  openMenu: () => void
  openPalette: () => void
  openHelp: () => void
  createTask: (preset?: NewTask) => void
  assign: (taskId: string) => void
}

export const ShellContext = createContext<ShellActions | null>(null)

export const useShell = (): ShellActions => {
  const value = useContext(ShellContext)
  if (!value) throw new Error('useShell is used outside of the shell.')
  return value
}
