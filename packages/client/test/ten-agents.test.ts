import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ChangeEvent, Task } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

const program = fileURLToPath(new URL('../examples/ten-agents.js', import.meta.url))

onEveryEngine('the example of ten agents', (stage) => {
  it('finishes its plan, each task once and in order, and writes down what was learned', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      env: { ...process.env, WORKLORE_URL: stage.proxy.url, WORKLORE_KEY: stage.service.adminKey },
      timeout: 600_000,
    })
    assert.match(stdout, /^SITE-1 has 17 parts\n/)
    assert.match(stdout, /\n17 parts done in 18 attempts; SITE-1 is done\n$/)

    const tasks: Task[] = []
    for await (const task of stage.wl.tasks.list({ projectId: 'SITE' })) tasks.push(task)
    assert.equal(tasks.length, 18)
    assert.deepEqual([...new Set(tasks.map(({ status, claim }) => `${status} ${claim}`))], ['done null'])

    const finished: string[] = []
    const isDone = (event: ChangeEvent) => event.type === 'task.released' && event.data.status === 'done'
    for await (const event of wlEvents()) if (isDone(event)) finished.push((event.data as Task).id)
    assert.equal(new Set(finished).size, 18)
    assert.equal(finished.length, 18)
    assert.equal(finished.at(-1), 'SITE-1')
    for (const { id, blockedBy } of tasks) {
      for (const blocker of blockedBy) assert.ok(finished.indexOf(blocker) < finished.indexOf(id))
      assert.match((await stage.wl.knowledge.get(`notes/${id}`, { projectId: 'SITE' })).content, /done by agent-\d+ /)
    }
  })

  const wlEvents = () => stage.wl.events.list({ after: 0, types: 'task.released' })
})
