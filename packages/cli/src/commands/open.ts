import { spawn } from 'node:child_process'
import { type Cli, command } from '../command.js'
import { projectKeys } from '../named-records.js'
import { followNote } from '../notes.js'
import { flag } from '../option.js'
import { asTaskId, isTaskId } from '../task-id.js'

const openers: Record<string, [string, ...string[]]> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

const notePath = (key: string): string => `k/${key.split('/').map(encodeURIComponent).join('/')}`

/** The page of the console for a task, a note or the project. */
const pathOf = async (cli: Cli, word: string | undefined): Promise<string> => {
  const { project } = cli.settings
  if (word === undefined) return project === undefined ? '' : `p/${encodeURIComponent(project)}/board`
  const id = asTaskId(word)
  if (isTaskId(id)) return `?task=${id}`
  if (project === undefined) return notePath(word)
  const wl = cli.client()
  const { key, projectId } = await followNote(cli, wl, word, false)
  if (projectId === null) return notePath(key)
  const projectKey = (await projectKeys(wl, [projectId])).get(projectId) ?? projectId
  return `${notePath(key)}?project=${encodeURIComponent(projectKey)}`
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
  more: 'A note of the project, or else of the whole tenant. Prints the address where there is no terminal or no browser.',
  options: { print: flag('Only print the address') },
  run: async (cli, { print }, [word]) => {
    const url = `${cli.settings.url}/console/${await pathOf(cli, word)}`
    const isOpened = !print && cli.isText && cli.screen.isTerminal && (await openAddress(url))
    return { body: { data: { url } }, ids: [url], text: () => (isOpened ? `Opened ${url}` : url) }
  },
})
