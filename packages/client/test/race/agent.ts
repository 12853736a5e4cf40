import { setTimeout as pause } from 'node:timers/promises'
import type { Worklore } from '../../src/index.js'
import type { JournalEntry } from './journal.js'
import { raceProject } from './settings.js'
import type { HeldWork, WorkDoor } from './work-door.js'

interface AgentSetup {
  /** To look at the log and at what is left; work is taken by the door. */
  wl: Worklore
  door: WorkDoor
  name: string
  workMs: number
  random: () => number
  /** Whether a task must be handed back, whatever chance says; asked once for each. */
  mustHandBack: () => boolean
  journal: (entry: JournalEntry) => void
}

/** How many of the calls for a task do not wait, and note the events around them. */
const probeShare = 0.2
const handBackShare = 0.1

/** Takes tasks and works on them until all are closed, and notes everything that it hears. */
export const runAgent = async ({
  wl,
  door,
  name: agent,
  workMs,
  random,
  mustHandBack,
  journal,
}: AgentSetup): Promise<void> => {
  const position = async (): Promise<number> =>
    (await wl.events.list({ after: 'latest', limit: 1 })).pagination.nextAfter

  const isFinished = async (): Promise<boolean> =>
    (await wl.tasks.list({ projectId: raceProject, status: ['todo', 'in_progress', 'in_review'], limit: 1 })).data
      .length === 0

  const take = async (): Promise<HeldWork | null> => {
    if (random() > probeShare) return door.next(true)
    const after = await position()
    const held = await door.next(false)
    if (!held) {
      journal({ kind: 'nothing', agent, after, until: await position() })
      await pause(200)
    }
    return held
  }

  const handIn = async (held: HeldWork): Promise<void> => {
    const { token } = held
    const isBack = random() < handBackShare || mustHandBack()
    const status = isBack ? 'todo' : 'done'
    journal({ kind: 'handing in', agent, token, status })
    if (isBack) await held.handBack(random() < 0.5)
    else await held.finish(random() < 0.3)
    journal({ kind: 'accepted', agent, token, status })
  }

  const work = async (held: HeldWork): Promise<void> => {
    await pause(random() * workMs)
    await held.write()
    journal({ kind: 'wrote', agent, token: held.token })
    await pause(random() * workMs)
    await handIn(held)
  }

  for (;;) {
    const held = await take()
    if (held) {
      const { token } = held
      journal({ kind: 'claimed', agent, token })
      await work(held).catch((error) => {
        if (!door.isClaimLost(error)) throw error
        journal({ kind: 'refused', agent, token })
      })
    } else if (await isFinished()) return
  }
}
