import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { describeService } from 'worklore-testing/service-suite'

const textOf = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const guide = textOf('docs/guide.md')

interface Step {
  commands: string[]
  /** The response that the guide shows after the commands. */
  shown: string | undefined
}

/** The code blocks with `curl`, each with the JSON block directly after it. */
const steps: Step[] = [...guide.matchAll(/```sh\n((?:curl [\s\S]*?))```\n(?:```json\n([\s\S]*?)```)?/g)].map(
  ([, block, shown]) => ({ commands: block!.replaceAll('\\\n', ' ').split(/\n(?=curl )/), shown }),
)

/** Splits a command into words like a shell, and replaces `$KEY`. */
const wordsOf = (command: string, key: string): string[] =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double?.replace('$KEY', key) ?? plain!,
  )

interface Sent {
  method: string | undefined
  url: string
  headers: Record<string, string>
  body: string | undefined
}

const requestOf = (command: string, key: string): Sent => {
  const sent: Sent = { method: undefined, url: '', headers: {}, body: undefined }
  const words = wordsOf(command, key)
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!
    if (word === '-s') continue
    if (word === '-X') sent.method = words[++at]
    else if (word === '-d') sent.body = words[++at]
    else if (word === '-H') {
      const [, name, value] = /^([^:]+): (.*)$/.exec(words[++at]!)!
      sent.headers[name!] = value!
    } else sent.url = word
  }
  return sent
}

/** Replaces values that differ from run to run. */
const normalized = (json: string): string =>
  JSON.stringify(
    JSON.parse(json, (name, value) => {
      if (/^(?:score|rank|semantic|requestId|userId)$/.test(name)) return '…'
      return typeof value === 'string'
        ? value.replace(/^(prj|kno|key|usr)_\w+$|^\d{4}-\d\d-\d\dT[\d:.]+Z$/, '$1…')
        : value
    }),
    null,
    2,
  )

describeService('the calls in docs/guide.md', (service) => {
  it('begin with the call of the README', () => {
    const { commands, shown } = steps[0]!
    assert.ok(textOf('README.md').replaceAll('\\\n', ' ').includes(`${commands[0]}\`\`\`\n\`\`\`json\n${shown}`))
  })

  it('succeed one after another, and return what is shown', async () => {
    assert.ok(steps.length >= 9)
    for (const { commands, shown } of steps) {
      let text = ''
      for (const command of commands) {
        const { url, method, headers, body } = requestOf(command, service.adminKey)
        const path = url.slice('http://127.0.0.1:8787'.length)
        const response = await fetch(service.baseUrl + path, {
          method: method ?? (body === undefined ? 'GET' : 'POST'),
          headers,
          ...(body !== undefined && { body }),
        })
        text = await response.text()
        assert.ok(response.ok || shown?.startsWith('{\n  "error"'), `${command}\n${text}`)
      }
      if (shown !== undefined) assert.equal(normalized(text), normalized(shown), commands.at(-1))
    }
  })
})
