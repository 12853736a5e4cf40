import { PreconditionFailedError, type Worklore } from '../../src/index.js'
import { raceProject } from './settings.js'
import type { WorkDoor } from './work-door.js'

const backOffMs = 300

/** Work by HTTP, with the client. */
export const createHttpDoor = (wl: Worklore, agent: string, leaseSeconds: number): WorkDoor => ({
  next: async (isWaiting) => {
    const request = { projectId: raceProject, leaseSeconds, worker: agent }
    const claim = await wl.tasks.next(isWaiting ? { ...request, waitSeconds: 3 } : request)
    if (!claim) return null
    const { token, task } = claim
    return {
      token,
      write: async () => {
        await claim.fenced().knowledge.put(`work/${task.id}`, { projectId: raceProject, content: token })
      },
      handBack: async (isDelayed) => {
        const notBefore = new Date(Date.now() + backOffMs).toISOString()
        await claim.release({ comment: `Not by ${agent}`, ...(isDelayed && { notBefore }) })
      },
      finish: async (isNoted) => {
        const note = { projectId: raceProject, content: `${task.id} was done under ${token}.` }
        if (!isNoted) await claim.release({ status: 'done' })
        else {
          await claim.release(
            { status: 'done' },
            { together: (batch) => batch.knowledge.put(`learned/${task.id}`, note) },
          )
        }
      },
    }
  },
  isClaimLost: (error) => error instanceof PreconditionFailedError && error.reason === 'claim_lost',
})
