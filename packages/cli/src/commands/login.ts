import { Worklore } from 'worklore-client'
import { type Cli, command } from '../command.js'
import { CommandError, exitUnauthorized, usageError } from '../exit-codes.js'
import { failureOf } from '../failure.js'
import { readStandardInput } from '../input.js'
import { text } from '../option.js'
import { profilesFile, readProfiles, saveProfile } from '../profiles.js'
import { checkKey, checkUrl, defaultUrl } from '../settings.js'
import { ask, askHidden } from '../terminal/prompt.js'
import { printable } from '../terminal/screen.js'

const urlFor = async (cli: Cli, given: string | undefined, known: string | undefined): Promise<string> => {
  const proposed = known ?? defaultUrl
  if (given !== undefined || !cli.isInteractive) return checkUrl(given ?? proposed)
  return checkUrl((await ask(`Address of the server [${proposed}]: `)) || proposed)
}

const keyFor = async (cli: Cli, given: string | undefined): Promise<string> => {
  if (given === '-') return (await readStandardInput()).trim()
  if (given !== undefined) return given
  if (!cli.isInteractive) throw usageError('Give the key on standard input: wl login URL --api-key - < KEYFILE')
  return askHidden('API key (not shown): ')
}

export const login = command({
  words: ['[URL]'],
  more: 'Asks for both and checks them. The last profile stored is the one in use; --profile chooses another.',
  options: {
    url: text('URL', 'Do not ask for the address'),
    'api-key': text('-', 'Read the key from standard input'),
    profile: text('NAME', 'Name of the profile; default if not given'),
    project: text('PROJECT', 'Project to use where nothing else names one', 'p'),
  },
  run: async (cli, values, [word]) => {
    const { env } = process
    if (word !== undefined && values.url !== undefined) throw usageError('Give the address once.')
    const { profiles } = readProfiles(env)
    const name = values.profile ?? 'default'
    const url = await urlFor(cli, word ?? values.url ?? env.WORKLORE_URL, profiles[name]?.url)
    const key = await keyFor(cli, values['api-key'])
    if (key === '') throw usageError('The key is empty.')
    checkKey(key)
    let me: Awaited<ReturnType<Worklore['me']>>
    try {
      me = await new Worklore({ baseUrl: url, apiKey: key, maxRetries: 0 }).me()
    } catch (error) {
      const { line, exitCode } = failureOf(error, url)
      throw new CommandError(exitCode === exitUnauthorized ? `${url} did not accept the key: ${line}` : line, exitCode)
    }
    const project = values.project ?? profiles[name]?.project
    saveProfile(env, name, { url, key, ...(project !== undefined && { project }) })
    return {
      body: { data: me },
      ids: [me.key.id],
      text: () =>
        printable(`Logged in to ${url} as ${me.key.name}, tenant ${me.tenant.name}. Stored in ${profilesFile(env)}.`),
    }
  },
})
