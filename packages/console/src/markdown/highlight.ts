import type { Emitter, HLJSApi } from 'highlight.js'
import core from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import shell from 'highlight.js/lib/languages/shell'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import type { CodePart } from './code-part'

const hljs: HLJSApi = core

const languages = {
  ...{ bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, php, python, ruby },
  ...{ rust, shell, sql, swift, typescript, xml, yaml },
}
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** Scopes that look alike; others have the color of text. */
const colors: Record<string, string> = {
  ...{ keyword: 'keyword', literal: 'keyword', 'variable.language': 'keyword', tag: 'keyword', section: 'keyword' },
  ...{ string: 'string', regexp: 'string', 'char.escape': 'string', 'meta.string': 'string' },
  ...{ number: 'number', symbol: 'number', bullet: 'number' },
  ...{ comment: 'comment', doctag: 'comment', quote: 'comment' },
  ...{ title: 'name', name: 'name', 'title.function': 'name', 'title.class': 'name', type: 'name', built_in: 'name' },
  ...{ attr: 'attribute', attribute: 'attribute', property: 'attribute', variable: 'attribute', meta: 'attribute' },
  ...{ addition: 'added', deletion: 'removed' },
}

/** Collects parts of a code in place of HTML. */
class PartEmitter implements Emitter {
  readonly parts: CodePart[] = []
  readonly #scopes: (string | undefined)[] = []
  openNode(name: string): void {
    this.#scopes.push(colors[name] ?? colors[name.split('.')[0]!] ?? this.#scopes.at(-1))
  }
  closeNode(): void {
    this.#scopes.pop()
  }
  startScope(name: string): void {
    this.openNode(name)
  }
  endScope(): void {
    this.closeNode()
  }
  addText(text: string): void {
    if (text !== '') this.parts.push([this.#scopes.at(-1) ?? '', text])
  }
  __addSublanguage(emitter: Emitter): void {
    this.parts.push(...(emitter as PartEmitter).parts)
  }
  finalize(): void {}
  toHTML(): string {
    return ''
  }
}

hljs.configure({ __emitter: PartEmitter } as never)

/** The parts of a code with their colors; null where the language is unknown. */
export const highlight = (code: string, language: string): CodePart[] | null => {
  if (!hljs.getLanguage(language)) return null
  const { _emitter, errorRaised } = hljs.highlight(code, { language, ignoreIllegals: true })
  return errorRaised ? null : (_emitter as PartEmitter).parts
}
