import { createContext, useContext } from 'react'

/** Fields that the dialog for a new task starts with. */
export interface NewTask {
  projectId?: string
  status?: string
  parentId?: string
}

/** Actions that the shell offers to every page. */
export interface ShellActions {
  openMenu: () => void
  openPalette: () => void
  openHelp: () => void
  createTask: (preset?: NewTask) => void
  assign: (taskId: string) => void
  moveTask: (taskId: string) => void
}

export const ShellContext = createContext<ShellActions | null>(null)

export const useShell = (): ShellActions => {
  const value = useContext(ShellContext)
  if (!value) throw new Error('useShell is used outside of the shell.')
  return value
}
