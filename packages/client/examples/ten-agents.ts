import { setTimeout as sleep } from 'node:timers/promises'
import { ConflictError, type HeldClaim, Worklore } from 'worklore-client'

/** Ten agents finish a plan together: WORKLORE_URL and WORKLORE_KEY say where and as whom. */
const wl = new Worklore({
  baseUrl: process.env.WORKLORE_URL ?? 'http://127.0.0.1:8787',
  apiKey: process.env.WORKLORE_KEY ?? '',
})
const projectId = 'SITE'
const pages = ['home', 'prices', 'docs', 'blog', 'team', 'jobs', 'press', 'help']

/** The plan is one call: the tasks, their order and what they are part of. */
const createPlan = async () => {
  await wl.projects.create({ key: projectId, name: 'Company site' }).catch((error) => {
    // It is there from an earlier run.
    if (!(error instanceof ConflictError)) throw error
  })
  const [launch] = await wl.batch((batch) => {
    const part = { projectId, parentId: '@launch' }
    return [
      batch.as('launch').tasks.create({ projectId, title: 'Launch the site' }),
      batch.as('design').tasks.create({ ...part, title: 'Design the layout', priority: 'high' }),
      ...pages.map((page) =>
        batch.as(page).tasks.create({ ...part, title: `Write the ${page} page`, blockedBy: ['@design'] }),
      ),
      ...pages.map((page) => batch.tasks.create({ ...part, title: `Check the ${page} page`, blockedBy: [`@${page}`] })),
    ]
  })
  return launch
}

/** Works on one task. Whatever is thrown here hands it back. */
const work = async (claim: HeldClaim, agent: string): Promise<void> => {
  const { task, lost } = claim
  await sleep(50 + Math.random() * 150, undefined, { signal: lost })
  if (task.title === 'Check the blog page' && task.attempts === 1) {
    const notBefore = new Date(Date.now() + 500).toISOString()
    await claim.release({ comment: 'The preview does not answer yet. Try again later.', notBefore })
    console.log(`${agent} put ${task.id} off: ${task.title}`)
    return
  }
  const content = `${task.title}: done by ${agent} at attempt ${task.attempts}.`
  await claim.release(
    { status: 'done', comment: `Done by ${agent}` },
    { together: (batch) => batch.knowledge.put(`notes/${task.id}`, { projectId, content }) },
  )
  console.log(`${agent} finished ${task.id}: ${task.title}`)
}

/** Takes one ready task after another until the plan is finished. */
const runAgent = async (agent: string, planId: string): Promise<void> => {
  for (;;) {
    await using claim = await wl.tasks.next({ projectId, worker: agent, leaseSeconds: 60, waitSeconds: 5 })
    if (claim) await work(claim, agent)
    else if ((await wl.tasks.get(planId)).status === 'done') return
  }
}

const launch = await createPlan()
console.log(`${launch.id} has ${pages.length * 2 + 1} parts`)
await Promise.all(Array.from({ length: 10 }, (_, index) => runAgent(`agent-${index + 1}`, launch.id)))

let done = 0
let attempts = 0
for await (const part of wl.tasks.list({ projectId, parentId: launch.id, status: 'done' })) {
  done++
  attempts += part.attempts
}
console.log(`${done} parts done in ${attempts} attempts; ${launch.id} is ${(await wl.tasks.get(launch.id)).status}`)
