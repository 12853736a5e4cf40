import { randomUUID } from 'node:crypto'
import { Worklore, type WorkloreOptions } from 'worklore-client'
import { usageError } from '#command-line'
import type { GitHub } from './github/client.js'
import type { SyncContext, SyncSettings } from './sync/context.js'
import { runCycle } from './sync/cycle.js'
import { loadPeople, type People } from './sync/people.js'
import type { Position } from './sync/position.js'
import { createPositionStore, type OnHeld, PositionChangedError } from './sync/position-store.js'
import { relink } from './sync/rename.js'
import { type Report, tellingOnce } from './sync/report.js'

interface BridgeOptions extends SyncSettings {
  worklore: WorkloreOptions
  github: GitHub
  /** The repository as it was asked for. */
  repo: string
  /** Its name when tasks were linked to it. */
  formerName: string | undefined
  project: string
  people: ReadonlyMap<string, string>
  report: Report
  /** How long another run waits for this one after it was killed. */
  leaseMs: number
  /** Waits while another run is at work; without it such a run is an error. */
  onHeld?: OnHeld | undefined
}

interface RoundOptions {
  isFull?: boolean
  withGitHub?: boolean
  withPending?: boolean
  issues?: readonly number[]
}

/** A round writes on both sides, which the next one sees: so many until nothing is left. */
const maxRounds = 10
const maxAttempts = 5

const placeOf = ({ events: _, ...place }: Position): string => JSON.stringify(place)

/** GitHub answers for a former name too, but identity goes by the name. */
const refuseFormerName = (asked: string, repo: string): void => {
  if (asked.toLowerCase() === repo.toLowerCase()) return
  throw usageError(`${asked} is now ${repo}. Run wl github sync ${repo} --renamed-from ${asked} once.`)
}

const builtInStatuses = ['todo', 'in_progress', 'in_review', 'done', 'cancelled']

const refuseUnknownStatus = (asked: string | undefined, statuses: readonly string[]): void => {
  if (asked === undefined || statuses.includes(asked)) return
  throw usageError(`--on-merge must be a status of the project: ${statuses.join(', ')}.`)
}

export const createBridge = async (bridgeOptions: BridgeOptions) => {
  const { worklore, project, people: map, repo: asked, formerName, leaseMs, onHeld, ...options } = bridgeOptions
  const { github, report, isDryRun } = options
  const wl = new Worklore(worklore)
  const { id: projectId, statuses } = await wl.projects.get(project)
  refuseUnknownStatus(options.onMerge, statuses?.map(({ status }) => status) ?? builtInStatuses)
  const { full_name: repo } = await github.repository()
  refuseFormerName(asked, repo)
  if (map.size > 0) await loadPeople(wl, map)
  const [login, { key }] = await Promise.all([github.login(), wl.me()])
  const store = createPositionStore({ wl, projectId, repo, formerName, leaseMs, login, keyId: key.id })
  const guarded = new Worklore({ ...worklore, beforeWrite: store.hold })
  github.guardWrites(store.hold)
  const load = (): Promise<Position> => (isDryRun ? store.read() : store.load(onHeld))
  let position = await load()

  /** Does a step, again from the present position where another run wrote that before the step's first write. */
  const fromPosition = async <T>(step: () => Promise<T>): Promise<T> => {
    for (let attempts = 1; ; attempts++) {
      if (!isDryRun && !store.isLoaded()) position = await load()
      try {
        return await step()
      } catch (error) {
        if (!(error instanceof PositionChangedError) || attempts === maxAttempts) throw error
      }
    }
  }

  /** Users and their handles are read once for a round. */
  const contextOf = (): SyncContext => {
    let people: Promise<People> | undefined
    const run = randomUUID()
    return {
      ...options,
      report: isDryRun ? tellingOnce(report) : report,
      wl: guarded,
      repo,
      projectId,
      run,
      writers: position.writers,
      people: () => {
        people ??= loadPeople(wl, map)
        return people
      },
    }
  }

  /** A run that fails leaves the position as it was saved last. */
  const releasing = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step()
    } catch (error) {
      await store.release()
      throw error
    }
  }

  if (formerName !== undefined) await releasing(() => fromPosition(() => relink(contextOf(), formerName)))

  /** Whether anything was done. */
  const round = async ({
    isFull = false,
    withGitHub = true,
    withPending = true,
    issues = [],
  }: RoundOptions): Promise<boolean> => {
    await fromPosition(async () => {
      // A round that fails has not come any further.
      const next = structuredClone(position)
      position.isInterrupted = true
      await runCycle(contextOf(), next, { isFull, withGitHub, withPending, issues })
      position = next
    })
    return report.takeChanged()
  }

  /** Where another run wrote the position after this one had nothing to write, that one stays. */
  const save = async (isChanged: boolean): Promise<void> => {
    try {
      await store.save(position, isChanged)
    } catch (error) {
      if (!(error instanceof PositionChangedError)) throw error
    }
  }

  return {
    repo,
    get position(): Position {
      return position
    },
    round,
    /** How many records are tried again in the next run. */
    outstanding: (): number => {
      const { pending, unfinished, unsent } = position
      return new Set([...pending, ...unfinished]).size + unsent.length
    },
    /** Notes the position, and lets other runs write where nothing was done since it was noted last. */
    save: async (isChanged: boolean): Promise<void> => {
      if (isDryRun) return
      if (store.isHeld() && !isChanged) await store.release(position)
      else await save(isChanged)
    },
    /** Lets other runs write: at the end, or where the run is interrupted. */
    release: (): Promise<void> => store.release(),
    /** Brings both sides in step, and ends. */
    settle: ({ isFull = false }: Pick<RoundOptions, 'isFull'> = {}): Promise<void> =>
      releasing(async () => {
        for (let rounds = 0; rounds < maxRounds; rounds++) {
          const before = placeOf(position)
          const isComparison = isFull && rounds === 0
          const isChanged = await round({ isFull: isComparison, withPending: true })
          if (isDryRun) return
          await save(isChanged)
          // A round at the same place has the ETags for it, so that the next run is told that nothing is new.
          if (!isChanged && !isComparison && placeOf(position) === before) break
        }
        await store.release(position)
      }),
  }
}

export type Bridge = Awaited<ReturnType<typeof createBridge>>
