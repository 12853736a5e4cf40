import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTask } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { bridgedFor } from './bridged.js'

/** Takes more bytes than a task or a comment may have here, but is not too long for GitHub. */
const longThere = 'é'.repeat(40_000)
/** Fits here, but not on GitHub with what is added to it. */
const longHere = 'a'.repeat(65_530)

describeClient('texts that are shortened on one side', (tenant) => {
  it('stay whole on GitHub', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'LONGIN')
    const { stub, wl, run, sent, refusals, outstanding } = bridged
    stub.create({ title: 'One', body: longThere })
    const comment = stub.comment(1, longThere)
    await run()
    await run()
    assert.equal(sent.writes, 0)
    const {
      data: [task],
    } = await wl.tasks.list({ externalId: `${stub.repo}#1` })
    const {
      data: [copy],
    } = await wl.tasks.comments(task!.id).list()
    assert.match(task!.description, /shortened\)$/)
    await wl.tasks.update(task!.id, { description: task!.description.replace('éééé', 'Edited') })
    await wl.tasks.comments(task!.id).update(copy!.id, { body: copy!.body.replace('éé', 'edited') })
    for (let runs = 1; runs <= 2; runs++) {
      await run()
      assert.deepEqual([sent.writes, outstanding()], [0, 1])
    }
    assert.match(refusals.map(({ reason }) => reason).join(), /description was changed where it is shortened/)
    assert.match(refusals.map(({ reason }) => reason).join(), /A shortened copy of a comment was changed/)
    assert.match((await wl.tasks.get(task!.id)).description, /^Edited/)
    assert.deepEqual([stub.issues.get(1)!.body, stub.comments.get(comment.id)!.body], [longThere, longThere])
    stub.edit(1, { body: 'Short' })
    stub.editComment(comment.id, 'Short too')
    await run()
    assert.equal(outstanding(), 0)
    assert.equal((await wl.tasks.get(task!.id)).description, 'Short')
    assert.match((await wl.tasks.comments(task!.id).get(copy!.id)).body, /Short too/)
    await wl.tasks.update(task!.id, { description: 'From here' })
    await run()
    assert.equal(stub.issues.get(1)!.body, 'From here')
  })

  it('stay whole here', async (test) => {
    const bridged = await bridgedFor(test, tenant, 'LONGOUT')
    const { stub, wl, project, run, sent, outstanding } = bridged
    const title = 'A title '.repeat(50).trim()
    const task = await createTask(tenant, project.id, { title, description: longHere })
    const comment = await wl.tasks.comments(task.id).create({ body: longHere })
    await run()
    await run()
    await run({ isFull: true })
    assert.deepEqual([sent.writes, outstanding()], [0, 0])
    const [copy] = [...stub.comments.values()]
    stub.edit(1, { title: 'Edited there', body: stub.issues.get(1)!.body.replace('aaa', 'edited') })
    stub.editComment(copy!.id, copy!.body.replace('aaa', 'edited'))
    for (let runs = 1; runs <= 2; runs++) {
      await run()
      assert.deepEqual([sent.writes, outstanding()], [0, 1])
    }
    const after = await wl.tasks.get(task.id)
    assert.deepEqual([after.title, after.description === longHere], [title, true])
    assert.equal((await wl.tasks.comments(task.id).get(comment.id)).body, longHere)
    await wl.tasks.update(task.id, { title: 'Short', description: 'Text' })
    await wl.tasks.comments(task.id).update(comment.id, { body: 'Words' })
    await run()
    assert.deepEqual([stub.issues.get(1)!.title, outstanding()], ['Short', 0])
    assert.match(stub.issues.get(1)!.body, /^Text\n/)
    assert.match(stub.comments.get(copy!.id)!.body, /\n\nWords\n\n/)
    await run()
    assert.equal(sent.writes, 0)
  })
})
