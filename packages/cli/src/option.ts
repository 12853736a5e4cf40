import type { ParseArgsConfig } from 'node:util'

/** An option as `parseArgs` takes it, with what the help says of it. */
type OptionSpec = NonNullable<ParseArgsConfig['options']>[string] & {
  /** What its value is called. The completion and the list of choices go by it. */
  value?: string
  about?: string | undefined
}

export type OptionSpecs = Record<string, OptionSpec>

/** An option without a value. */
export const flag = (about: string, short?: string) => ({ type: 'boolean' as const, about, ...(short && { short }) })

/** An option with a value. */
export const text = (value: string, about?: string, short?: string) => ({
  type: 'string' as const,
  value,
  about,
  ...(short && { short }),
})

/** An option that may be given several times. */
export const texts = (value: string, about?: string, short?: string) => ({
  ...text(value, about, short),
  multiple: true as const,
})

/** What every command takes. */
export const globalOptions = {
  json: flag('Print the response as JSON'),
  quiet: flag('Print ids only', 'q'),
  field: texts('PATH', 'Print only this field of each record, such as status or claim.token; repeat it for several'),
  project: text('PROJECT', 'Project, instead of WORKLORE_PROJECT or .worklore.json', 'p'),
  url: text('URL', 'Server, instead of WORKLORE_URL, .worklore.json or the profile'),
  'api-key': text('SECRET', 'API key, instead of WORKLORE_KEY or the profile'),
  profile: text('NAME', 'Profile stored by wl login'),
  yes: flag('Do not ask for confirmation', 'y'),
  help: flag('Explain a command', 'h'),
}

export const limitOption = (usual: number) => text('COUNT', `At most so many; ${usual} if not given`, 'n')

export const claimOption = { 'claim-token': text('TOKEN', 'The claim, if it was not taken in this folder') }

/** What the option that a word is calls the next word; undefined where it takes none. */
export const valueNameOf = (word: string | undefined, options: OptionSpecs): string | undefined =>
  Object.entries(options).find(([name, { short }]) => [`--${name}`, `-${short}`].includes(word!))?.[1].value
