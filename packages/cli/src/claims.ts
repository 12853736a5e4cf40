import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Task } from 'worklore-client'
import { usageError } from './exit-codes.js'
import { readJson, writePrivateJson } from './private-file.js'

/** A claim that a command took in this folder, for the commands that follow. */
interface RememberedClaim {
  taskId: string
  token: string
  url: string
  expiresAt: string
}

export interface RememberedClaims {
  remember(task: Task): void
  forget(taskId: string): void
  of(taskId: string): RememberedClaim | undefined
  /** Those that have not run out. */
  live(): RememberedClaim[]
  /** The claim that is meant where no task is named; undefined where there is none. */
  only(): RememberedClaim | undefined
}

/** A claim that ran out so long ago is of no use to anyone. */
const maxAgeMs = 7 * 86_400_000

/** One file for each claim: agents that share a folder do not overwrite each other's. */
export const createRememberedClaims = (stateFolder: string, folder: string, url: string): RememberedClaims => {
  // Loaded here, because most commands need no claim and it takes longer to load than they run.
  const { createHash } = process.getBuiltinModule('node:crypto')
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  const claimsFolder = join(stateFolder, 'claims', name)
  const fileOf = (taskId: string): string => join(claimsFolder, `${encodeURIComponent(taskId)}.json`)

  const of = (taskId: string): RememberedClaim | undefined => {
    const claim = readJson(fileOf(taskId)) as RememberedClaim | undefined
    return claim?.url === url ? claim : undefined
  }

  const all = (): RememberedClaim[] => {
    let files: string[]
    try {
      files = readdirSync(claimsFolder)
    } catch {
      return []
    }
    return files
      .filter((file) => file.endsWith('.json'))
      .flatMap((file) => of(decodeURIComponent(file.slice(0, -'.json'.length))) ?? [])
  }

  const forget = (taskId: string): void => rmSync(fileOf(taskId), { force: true })

  const live = (): RememberedClaim[] => all().filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now())

  return {
    remember: ({ id, claim }) => {
      for (const old of all()) if (Date.now() - Date.parse(old.expiresAt) > maxAgeMs) forget(old.taskId)
      const remembered: RememberedClaim = { taskId: id, token: claim!.token, url, expiresAt: claim!.expiresAt }
      writePrivateJson(fileOf(id), remembered)
    },
    forget,
    of,
    live,
    only: () => {
      // A claim that ran out may still be handed in, if nobody else took the task; a live one is meant rather.
      const candidates = live().length > 0 ? live() : all()
      if (candidates.length > 1) {
        const ids = candidates.map(({ taskId }) => taskId).join(', ')
        throw usageError(`Several tasks are claimed in this folder: ${ids}. Name one.`)
      }
      return candidates[0]
    },
  }
}
