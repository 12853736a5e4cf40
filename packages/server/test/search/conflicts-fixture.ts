import { expectStatus } from 'worklore-testing/expect'
import type { TestTenant } from 'worklore-testing/harness'
import { randomFrom } from 'worklore-testing/random'

/** A question about a fact whose value changed, and what is right to answer. */
export interface AskedFact {
  question: string
  /** Null where everything that was said about it was retracted. */
  value: string | null
  /** Of the notes that were superseded or retracted. */
  withdrawn: string[]
}

/** What is asked for, and how others say it. */
const attributes = [
  ['retry limit', ['is attempted again at most % times', 'gives up after % failures in a row']],
  ['listening port', ['accepts connections at number %', 'can be reached under %']],
  ['on-call owner', ['if it breaks, wake up %', '% is paged about trouble there']],
  ['request timeout', ['hangs up after % seconds', 'callers wait % seconds and no longer']],
  ['retention period', ['keeps things around for % days, then purges', 'throws stuff away when it is % days old']],
  ['release cadence', ['ships once every % weeks', 'new builds go out each % weeks']],
  ['memory quota', ['may take up to % megabytes of RAM', 'gets killed beyond % MB']],
  ['maximum batch size', ['bundles no more than % entries', 'sends at most % rows together']],
] as const

/** Two-part names, each part with what people call it otherwise. */
const areas = [
  ['billing', 'money side'],
  ['shipping', 'parcels team'],
  ['identity', 'login people'],
  ['catalog', 'product pages'],
  ['analytics', 'numbers crew'],
  ['payroll', 'salaries'],
  ['warehouse', 'stock hall'],
  ['newsletter', 'mailings'],
  ['checkout', 'basket end'],
  ['support', 'help desk'],
] as const
const parts = [
  ['importer', 'loader'],
  ['gateway', 'front door'],
  ['scheduler', 'cron box'],
  ['replicator', 'copier'],
  ['archiver', 'vault job'],
  ['renderer', 'drawing service'],
] as const

interface Note {
  key: string
  content: string
  supersedes?: string[]
}

const pick = <T>(random: () => number, all: readonly T[]): T => all[Math.floor(random() * all.length)]!

/**
 * Writes facts that are stated in the words of their question, restated elsewhere in others, superseded up to four times
 * in others again, and here and there retracted. Restatements share no word with the question but at most one of the name.
 */
export const writeConflicts = async (wl: TestTenant, count: number, seed: number): Promise<AskedFact[]> => {
  const random = randomFrom(seed)
  const notes: Note[] = []
  const retracted: string[] = []
  const facts: AskedFact[] = []
  for (let number = 0; number < count; number++) {
    const [area, areaAlias] = areas[number % areas.length]!
    const [part, partAlias] = parts[Math.floor(number / areas.length) % parts.length]!
    const step = Math.floor(number / (areas.length * parts.length))
    const [attribute, phrases] = attributes[(number + step * 3) % attributes.length]!
    const name = [`the ${areaAlias} ${partAlias}`, `the ${area} ${partAlias}`, `the ${areaAlias} ${part}`]
    const valueAt = (version: number) => `${1_000 + number * 10 + version}`
    const restated = (version: number) =>
      `About ${pick(random, name)}: ${pick(random, phrases).replace('%', valueAt(version))}.`
    const chain: string[][] = [[`facts/${number}`, `minutes/${number}`]]
    notes.push({
      key: `facts/${number}`,
      content: `The ${attribute} of the ${area} ${part} is ${valueAt(0)}.`,
    })
    notes.push({ key: `minutes/${number}`, content: restated(0) })
    const changes = Math.floor(random() * 5)
    for (let version = 1; version <= changes; version++) {
      const key = `log/${Math.floor(random() * 1e9).toString(36)}`
      notes.push({ key, content: restated(version), supersedes: chain.at(-1)! })
      chain.push([key])
    }
    // A retracted note makes those that it superseded hold again.
    const isTakenBack = random() < 0.25
    const gone = isTakenBack ? chain.pop()! : []
    retracted.push(...gone)
    facts.push({
      question: `What is the ${attribute} of the ${area} ${part}?`,
      value: chain.length === 0 ? null : valueAt(chain.length - 1),
      withdrawn: [...chain.slice(0, -1).flat(), ...gone],
    })
  }
  const operations = [
    ...notes.map(({ key, ...body }) => ({ method: 'PUT', path: `/v1/knowledge/${key}`, body })),
    ...retracted.map((key) => ({ method: 'POST', path: '/v1/knowledge/retract', body: { key, reason: 'Wrong' } })),
  ]
  for (let at = 0; at < operations.length; at += 50) {
    expectStatus(await wl.post('/v1/batch', { operations: operations.slice(at, at + 50) }), 200)
  }
  return facts
}
