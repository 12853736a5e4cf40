import { useEffect } from 'react'
import { useConsole } from './console'

/** What can be done on the page that is open, for the palette. */
export interface PageCommand {
  title: string
  run: () => void
}

/** Offers commands while the component is mounted. */
export const usePageCommands = (commands: readonly PageCommand[]): void => {
  const { pageCommands } = useConsole()
  useEffect(() => {
    pageCommands.set(commands)
  })
  useEffect(() => () => pageCommands.set([]), [pageCommands])
}
