import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { summaryOf } from '../src/printed-report.js'

describe('the summary of wl-github', () => {
  it('counts one and many', () => {
    const actions = { 'task.created': 1, 'issue.left': 2, 'pull.linked': 1, 'pull.unlinked': 2, conflict: 1 }
    assert.equal(
      summaryOf({ actions, refused: 1, outstanding: 0 }, false, false),
      '1 task created, 2 issues left alone after deletion of the task, 1 pull request noted, 2 pull requests no longer noted, 1 conflict resolved, 1 refused.',
    )
  })
})
