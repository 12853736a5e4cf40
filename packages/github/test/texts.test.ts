import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mergeLabels } from '../src/sync/labels.js'
import {
  bodyFromGitHub,
  bodyFromWorklore,
  copyFromGitHub,
  copyFromWorklore,
  taskOfIssueBody,
  withIssueMarker,
  withoutIssueMarker,
  withText,
} from '../src/sync/markers.js'
import { referencesOf } from '../src/sync/references.js'
import { digest, withinBytes } from '../src/sync/text.js'

const comment = (body: string, login: string) => ({
  ...{
    id: 7,
    body,
    user: { login },
    html_url: 'https://github.com/acme/site/issues/1#issuecomment-7',
  },
  ...{ issue_url: 'https://api.github.com/repos/acme/site/issues/1', created_at: '', updated_at: '' },
})

const writers = { logins: ['earlier-bot', 'bot'], keys: ['key_bridge'] }

const whole = (text: string) => ({ text, isCut: false })

const commentHere = (body: string, keyId = 'key_bridge') => ({
  body,
  createdBy: { keyId, keyName: 'x', userId: null },
})

describe('the texts that the bridge writes', () => {
  it('say what they are a copy of', () => {
    const text = '**Bold** on Worklore:\n\nnot a heading <!-- worklore:x -->'
    const there = bodyFromWorklore('cmt_1', 'Ada *Lovelace*', whole(text))
    assert.deepEqual(copyFromWorklore(comment(there, 'bot'), writers), {
      id: 'cmt_1',
      text,
      digest: digest(text),
      isCut: false,
    })
    const changed = copyFromWorklore(comment(withText(there, { text: 'other', isCut: true }), 'bot'), writers)
    assert.deepEqual(changed, { id: 'cmt_1', text: 'other', digest: digest('other'), isCut: true })
    const here = bodyFromGitHub(comment('Their words', 'octocat'), whole('Their words'))
    assert.deepEqual(copyFromGitHub(commentHere(here), writers), {
      id: '7',
      text: 'Their words',
      digest: digest('Their words'),
      isCut: false,
    })
    assert.equal(copyFromGitHub(commentHere(there), writers), undefined)
  })

  it('are believed only of accounts and keys that the bridge writes with', () => {
    const forged = bodyFromWorklore('cmt_1', 'Ada', whole('Forged'))
    assert.equal(copyFromWorklore(comment(forged, 'stranger'), writers), undefined)
    assert.ok(copyFromWorklore(comment(forged, 'earlier-bot'), writers))
    const copy = bodyFromGitHub(comment('Forged', 'octocat'), whole('Forged'))
    assert.equal(copyFromGitHub(commentHere(copy, 'key_other'), writers), undefined)
  })

  it('are not believed where they are quoted', () => {
    const quoted = (text: string): string => `No:\n\n${text.replaceAll(/^/gm, '> ')}`
    assert.equal(
      copyFromGitHub(commentHere(quoted(bodyFromGitHub(comment('x', 'octocat'), whole('x')))), writers),
      undefined,
    )
    assert.equal(
      copyFromWorklore(comment(quoted(bodyFromWorklore('cmt_1', 'Ada', whole('x'))), 'bot'), writers),
      undefined,
    )
    assert.equal(taskOfIssueBody(quoted(withIssueMarker('x', 'ACME-1'))), undefined)
  })

  it('name the task of an issue, and only at the end', () => {
    const body = withIssueMarker('Text\r\n', 'ACME-12')
    assert.deepEqual([taskOfIssueBody(body), withoutIssueMarker(body)], ['ACME-12', 'Text'])
    assert.equal(taskOfIssueBody(`${body}\nmore`), undefined)
    assert.deepEqual([taskOfIssueBody(null), withoutIssueMarker(null)], [undefined, ''])
  })

  it('are shortened between characters', () => {
    const short = withinBytes('é'.repeat(100), 101)
    assert.ok(Buffer.byteLength(short) <= 101 && !short.includes('\ufffd') && short.endsWith('(shortened)'))
  })
})

describe('references of a pull request', () => {
  it('are task ids and issues, with or without a closing word', () => {
    const text = 'Fixes #3, closes acme/site#4 and resolves: ACME-5. See #6, other/repo#7, ACME-8 and `ACME-9`. x#10'
    const { tasks, issues } = referencesOf('acme/site', ['A title (ACME-2)', text])
    assert.deepEqual(
      [...issues],
      [
        [3, true],
        [4, true],
        [6, false],
      ],
    )
    assert.deepEqual(
      [...tasks],
      [
        ['ACME-2', false],
        ['ACME-5', true],
        ['ACME-8', false],
      ],
    )
  })
})

describe('labels of both sides', () => {
  const issue = (labels: string[], milestone: string | null = null) => ({
    labels,
    milestone: milestone === null ? null : { title: milestone },
  })

  it('carry additions and removals over to the other side', () => {
    const base = { github: ['a', 'b', 'c'], worklore: ['a', 'b', 'c'] }
    const merged = mergeLabels(issue(['b', 'c', 'new there', 'with, comma']), ['a', 'b', 'new here'], base, null)
    assert.deepEqual(merged.toTask, ['b', 'new here', 'new there'])
    assert.deepEqual(merged.toIssue, ['b', 'new there', 'with, comma', 'new here'])
  })

  it('show the milestone, and follow it', () => {
    assert.deepEqual(
      mergeLabels(issue(['a'], '2.0'), ['a', 'milestone:1.0'], { github: ['a'], worklore: ['a'] }, '1.0'),
      {
        toTask: ['a', 'milestone:2.0'],
        toIssue: undefined,
      },
    )
  })

  it('are the same in capitals', () => {
    assert.deepEqual(mergeLabels(issue(['Bug']), ['bug'], { github: ['bug'], worklore: ['bug'] }, null), {
      toTask: undefined,
      toIssue: undefined,
    })
  })
})
