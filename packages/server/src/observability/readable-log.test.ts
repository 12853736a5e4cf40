import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readableLine } from './readable-log.js'

it('a line of the log is readable on a terminal', () => {
  const time = '2026-11-15T09:08:07.654Z'
  assert.equal(readableLine(`{"level":30,"time":"${time}","msg":"stopped"}\n`), '09:08:07 INFO  stopped\n')
  assert.equal(
    readableLine(`{"level":40,"time":"${time}","webhookId":"whk_1","after":3,"msg":"events were trimmed"}\n`),
    '09:08:07 WARN  events were trimmed webhookId=whk_1 after=3\n',
  )
  assert.equal(
    readableLine(`{"level":50,"time":"${time}","err":{"message":"x","stack":"Error: x\\n    at y"},"msg":"failed"}\n`),
    '09:08:07 ERROR failed\nError: x\n    at y\n',
  )
  assert.equal(readableLine('no JSON\n'), 'no JSON\n')
  assert.equal(readableLine(`{"level":30,"time":"${time}","msg":"\\u001b[2Jx"}\n`), '09:08:07 INFO  �[2Jx\n')
})
