import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { askedOfHumans } from './human-events.js'

const actor = { keyName: 'agent' }
const projectId = 'prj_1'
const headingOf = (type: string, data: object, previous: object | null = null): string | undefined =>
  askedOfHumans({ type, projectId, actor, data: { ...data }, previous: previous && { ...previous } })?.heading

describe('what is asked of any person', () => {
  it('is a question to nobody in particular', () => {
    const body = 'Which one?\n\nA or B'
    const asked = (options: unknown) => {
      const data = { body, options, to: null }
      return askedOfHumans({ type: 'question.asked', projectId, actor, data, previous: null })
    }
    const told = { heading: 'Question for anyone', text: 'Which one? A or B' }
    assert.deepEqual(asked(null), told)
    assert.deepEqual(asked(['A', 'B\n*b*', 'C'.repeat(51)]), { ...told, options: `A · B *b* · ${'C'.repeat(49)}…` })
    assert.equal(headingOf('question.asked', { body, to: 'usr_1' }), undefined)
  })

  it('is a check for people of a task that is in review', () => {
    const checks = [
      { text: 'Reviewed', verifier: 'human', state: 'open' },
      { text: 'Formatted', verifier: 'anyone', state: 'open' },
      { text: 'Tested', verifier: 'human', state: 'passed' },
    ]
    const inReview = { statusCategory: 'in_review', checks }
    assert.equal(headingOf('task.updated', inReview, { status: 'in_progress' }), '1 check to decide')
    assert.equal(headingOf('task.released', inReview, { status: 'in_progress' }), '1 check to decide')
    assert.equal(headingOf('task.created', inReview), '1 check to decide')
    assert.equal(
      headingOf('task.updated', inReview, { checks: [{ text: 'Reviewed', verifier: 'human', state: 'passed' }] }),
      '1 check to decide',
    )
    for (const previous of [{ title: 'x' }, { checks }])
      assert.equal(headingOf('task.updated', inReview, previous), undefined)
    const forAnyone = { statusCategory: 'in_review', checks: [checks[1]] }
    assert.equal(headingOf('task.updated', forAnyone, { status: 'in_progress' }), undefined)
    const done = { statusCategory: 'in_review', checks: [checks[2]] }
    assert.equal(headingOf('task.updated', done, { status: 'todo' }), undefined)
    assert.equal(headingOf('task.updated', { statusCategory: 'in_review' }, { status: 'todo' }), undefined)
    assert.equal(headingOf('task.updated', { statusCategory: 'todo', checks }, { status: 'in_review' }), undefined)
  })
})
