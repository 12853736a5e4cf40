import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  defineLanguageFacet,
  HighlightStyle,
  Language,
  languageDataProp,
  syntaxHighlighting,
} from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { GFM, parser } from '@lezer/markdown'
import { type ReactNode, useEffect, useRef } from 'react'

const data = defineLanguageFacet({ commentTokens: { block: { open: '<!--', close: '-->' } } })
const markdown = new Language(
  data,
  parser.configure([GFM, { props: [languageDataProp.add({ Document: data })] }]),
  [],
  'markdown',
)

/** The parser's time grows with the square of a block's length, and nothing can interrupt it. */
const maxBlockLength = 4_000

const isHighlightable = (text: string): boolean =>
  text.split(/\n[ \t]*\n/).every((block) => block.length <= maxBlockLength)

const highlighting = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.monospace, tags.url], color: 'var(--violet)' },
  { tag: tags.link, color: 'var(--accent)' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.meta], color: 'var(--text-3)' },
  { tag: tags.quote, color: 'var(--text-2)' },
])

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '14px', background: 'transparent', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.65', overflow: 'auto' },
  '.cm-content': { padding: '16px 0 40vh', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 20px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'light-dark(#cfdcfa, #34487a)',
  },
  '.cm-placeholder': { color: 'var(--text-3)' },
})

interface MarkdownEditorProps {
  label: string
  /** The text at first, and whenever `resetKey` changes. */
  initial: string
  resetKey: string
  onChange: (text: string) => void
  onSave: () => void
}

/** CodeMirror in a shadow root: there it uses constructed style sheets, which the page's strict policy allows. */
export const MarkdownEditor = ({ label, initial, resetKey, onChange, onSave }: MarkdownEditorProps): ReactNode => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef({ onChange, onSave, initial })
  latest.current = { onChange, onSave, initial }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key means a new text
  useEffect(() => {
    const element = host.current
    if (!element) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.initial,
        extensions: [
          history(),
          drawSelection(),
          isHighlightable(latest.current.initial) ? [markdown.extension, syntaxHighlighting(highlighting)] : [],
          theme,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true', tabindex: '0' }),
          placeholder('Write in Markdown'),
          keymap.of([
            {
              key: 'Mod-s',
              preventDefault: true,
              run: () => {
                latest.current.onSave()
                return true
              },
            },
            ...defaultKeymap,
            ...historyKeymap,
            indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    editor.focus()
    return () => editor.destroy()
  }, [resetKey])

  return <div ref={host} className="editor-host" />
}
