import { spawn } from 'node:child_process'
import { command } from '../command.js'
import { flag } from '../option.js'
import { asTaskId, isTaskId } from '../task-id.js'

const openers: Record<string, [string, ...string[]]> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** The page of the console for a task, a note or the project. */
const pathOf = (word: string | undefined, project: string | undefined): string => {
  if (word === undefined) return project === undefined ? '' : `p/${encodeURIComponent(project)}/board`
  const id = asTaskId(word)
  if (isTaskId(id)) return `?task=${id}`
  return `k/${word.split('/').map(encodeURIComponent).join('/')}`
}

/** Lets the system open an address; false where it has nothing to do so with. */
const openAddress = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const [program, ...words] = process.env.BROWSER
      ? [process.env.BROWSER]
      : (openers[process.platform] ?? ['xdg-open'])
    const child = spawn(program!, [...words, url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })

export const open = command({
  words: ['[ID | KEY]'],
  more: 'Prints the address where there is no terminal or no browser.',
  options: { print: flag('Only print the address') },
  run: async (cli, { print }, [word]) => {
    const url = `${cli.settings.url}/console/${pathOf(word, cli.settings.project)}`
    const isOpened = !print && cli.isText && cli.screen.isTerminal && (await openAddress(url))
    return { body: { data: { url } }, ids: [url], text: () => (isOpened ? `Opened ${url}` : url) }
  },
})
