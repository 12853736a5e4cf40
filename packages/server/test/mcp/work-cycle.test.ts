import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { type ConnectedClient, generations } from 'worklore-testing/mcp-clients'
import { describeClient } from 'worklore-testing/service-suite'

const scopes = ['tasks:write', 'knowledge:write']

for (const { revision, connect } of generations) {
  describeClient(`agents by MCP ${revision}`, (wl) => {
    const letters = revision.replaceAll(/\D/g, '').slice(0, 4)
    const project = `W${letters}`

    const says = async (client: ConnectedClient, name: string, args: Record<string, unknown>): Promise<string> => {
      const { text, isError } = await client.call(name, args)
      assert.equal(isError, false, `${name}: ${text}`)
      return text
    }

    it('plan, take, do and hand back work', async (test) => {
      await createProject(wl, { key: project })
      const { key } = await createKey(wl, { name: 'agent', scopes })
      const client = await connect(wl, key)
      test.after(() => client.close())
      assert.match(client.instructions ?? '', new RegExp(`Projects: .*${project}`))
      assert.equal((await client.tools()).length, 13)

      const plan = await says(client, 'create_task', {
        project,
        tasks: [
          { name: 'design', title: 'Design the page', priority: 'high', description: 'As [[guides/pages]] says.' },
          { name: 'build', title: 'Build the page', blocked_by: ['design'], labels: ['web'] },
          { title: 'Test the page', parent: 'build' },
        ],
      })
      assert.deepEqual(plan.split('\n'), [
        `"design": ${project}-1 todo high "Design the page"`,
        `"build": ${project}-2 todo medium "Build the page" #web blocked by ${project}-1`,
        `${project}-3 todo medium "Test the page"`,
      ])
      await says(client, 'write_knowledge', { key: 'guides/pages', content: 'Pages are plain.', project })

      const claimed = await says(client, 'claim_task', { project, minutes: 5 })
      assert.ok(claimed.startsWith(`You hold claim ${project}-1.1 until `), claimed)
      assert.ok(claimed.includes('<data>\nPages are plain.\n</data>'), claimed)
      const claim = `${project}-1.1`
      assert.match(await says(client, 'update_task', { id: `${project}-1`, claim }), /Lease renewed until/)
      await says(client, 'add_comment', { id: `${project}-1`, text: 'Drawn.', claim })
      const appended = { key: 'guides/pages', content: 'And short.', mode: 'append', project, claim }
      assert.equal(await says(client, 'write_knowledge', appended), `guides/pages v2 written in project ${project}`)
      const edit = { key: 'guides/pages', mode: 'edit', old_text: 'plain', content: 'simple', project, claim }
      await says(client, 'write_knowledge', edit)
      const note = await says(client, 'read_knowledge', { key: 'guides/pages', project })
      assert.ok(note.includes('<data>\nPages are simple.\nAnd short.\n</data>'), note)
      assert.match(await says(client, 'list_knowledge', { project }), /^guides\/pages v3 project \S+ .*\n1 of 1$/)

      const finish = { id: `${project}-1`, claim, outcome: 'done', summary: 'Designed.' }
      assert.match(await says(client, 'finish_task', finish), /-1 done high/)
      const lost = await client.call('add_comment', { id: `${project}-1`, text: 'Late.', claim })
      assert.equal(lost.isError, true)
      assert.match(lost.text, /^PRECONDITION_FAILED: Claim \S+ is no longer held by this key/)

      const next = await says(client, 'claim_task', { project })
      assert.ok(next.startsWith(`You hold claim ${project}-3.1`), next)
      const blocked = { id: `${project}-3`, claim: `${project}-3.1`, outcome: 'blocked', summary: 'No browser.' }
      assert.equal((await client.call('finish_task', blocked)).isError, true)
      await says(client, 'create_task', { project, title: 'Get a browser' })
      const handed = await says(client, 'finish_task', { ...blocked, blocked_by: [`${project}-4`] })
      assert.equal(handed, `${project}-3 todo medium "Test the page" blocked by ${project}-4`)

      const task = await says(client, 'get_task', { id: `${project}-3` })
      assert.match(task, /parent \S+-2/)
      assert.ok(task.includes(`blocked by:\n${project}-4 todo medium "Get a browser"`), task)
      assert.ok(task.includes('<data>\nNo browser.\n</data>'), task)
      assert.match(await says(client, 'get_task', { id: `${project}-2` }), /subtasks:\n\S+-3 todo/)
      const ready = await says(client, 'list_tasks', { project, ready: true })
      assert.equal(ready, `${project}-4 todo medium "Get a browser"\n1 of 1`)
      assert.match(await says(client, 'list_tasks', { project, mine: true }), /^No tasks match/)
      assert.match(await says(client, 'search', { query: 'browser', project }), /tasks:\n(.*\n)*.*-4 todo/)
      const history = await says(client, 'get_history', { of: `${project}-3` })
      assert.match(history, /task\.released \S+-3 v\d+ by agent via mcp: status in_progress to todo/)
      assert.match(await says(client, 'get_history', { of: 'guides/pages' }), /^(.*knowledge\.updated.*\n){2}.*created/)
      assert.match(await says(client, 'get_history', { of: 'me', limit: 2 }), /2 changes, more/)
      const events = (await wl.get('/v1/events?types=task.claimed')).body.data
      assert.ok(events.every(({ via, requestId }: { via: string; requestId: string }) => via === 'mcp' && requestId))
    })

    it('are told how to take back a task, and who has it', async (test) => {
      const held = `H${letters}`
      await createProject(wl, { key: held })
      await createTask(wl, held)
      const { key } = await createKey(wl, { name: 'agent 3, the old one', scopes })
      const [mine, other] = [await connect(wl, key), await connect(wl, (await createKey(wl, { scopes })).key)]
      test.after(() => Promise.all([mine.close(), other.close()]))
      const id = `${held}-1`
      await says(mine, 'claim_task', { id })
      const again = await mine.call('claim_task', { id })
      assert.match(
        again.text,
        /^CONFLICT: \S+-1 is claimed by "agent 3, the old one" until \S+ This key holds the claim: /,
      )
      assert.match(again.text, /set takeover to replace it\.$/)
      const refused = await other.call('claim_task', { id })
      assert.match(refused.text, / is claimed by "agent 3, the old one" until \S+ Claim another task, or wait/)
      assert.ok(!refused.text.includes('takeover'))
      assert.match(await says(mine, 'claim_task', { id, takeover: true }), new RegExp(`^You hold claim ${id}\\.2 `))
    })

    it('race for the same tasks, and each task goes to one of them', async (test) => {
      const raced = `R${letters}`
      await createProject(wl, { key: raced })
      for (let at = 0; at < 20; at++) await createTask(wl, raced, { title: `Race ${at}` })
      const clients = await Promise.all(
        Array.from({ length: 5 }, async () => connect(wl, (await createKey(wl, { scopes })).key)),
      )
      test.after(() => Promise.all(clients.map((client) => client.close())))
      const won = await Promise.all(
        clients.map(async (client) => {
          const ids: string[] = []
          for (;;) {
            const { text } = await client.call('claim_task', { project: raced })
            const id = /^You hold claim (\S+)\.1 /.exec(text)?.[1]
            if (id === undefined) return ids
            ids.push(id)
            const outcome = { id, claim: `${id}.1`, outcome: 'done', summary: 'Won.' }
            assert.equal((await client.call('finish_task', outcome)).isError, false)
          }
        }),
      )
      assert.deepEqual(won.flat().sort(), Array.from({ length: 20 }, (_, at) => `${raced}-${at + 1}`).sort())
    })
  })
}
