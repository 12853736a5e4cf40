import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  defineLanguageFacet,
  HighlightStyle,
  Language,
  languageDataProp,
  syntaxHighlighting,
} from '@codemirror/language'
import { type ChangeSpec, Compartment, EditorState, type Extension, Prec, Transaction } from '@codemirror/state'
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { GFM, parser } from '@lezer/markdown'
import { diffLines } from 'diff'
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef } from 'react'
import type { PopoverAnchor } from '../components/popover'
import { SuggestionList, useSuggestions } from '../suggestions/suggestions'
import type { Completion } from './completion'
import '../styles/editor.css'

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

/** Texts that differ in more lines are replaced. */
const maxEdits = 1_000

/** What makes another text of one, line by line, so that the caret stays where it is. */
const changesBetween = (before: string, after: string): ChangeSpec => {
  const changes = diffLines(before, after, { maxEditLength: maxEdits })
  if (!changes) return { from: 0, to: before.length, insert: after }
  let at = 0
  return changes.flatMap(({ added, removed, value }) => {
    const from = at
    if (!added) at += value.length
    return added ? { from, insert: value } : removed ? { from, to: at } : []
  })
}

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

const highlighted = new Compartment()
const highlightingOf = (text: string): Extension =>
  isHighlightable(text) ? [markdown.extension, syntaxHighlighting(highlighting)] : []

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
  onEscape: (() => void) | undefined
  completion?: Completion
}

const noCompletion: Completion = {
  label: '',
  find: () => null,
  matching: () => [],
  write: () => ({ text: '', caret: 0 }),
}

/** CodeMirror in a shadow root: there it uses constructed style sheets, which the page's strict policy allows. */
export const MarkdownEditor = ({
  label,
  initial,
  resetKey,
  onChange,
  onSave,
  onEscape,
  completion = noCompletion,
}: MarkdownEditorProps): ReactNode => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const suggestions = useSuggestions({
    find: completion.find,
    matching: completion.matching,
    onChoose: (option, { start, typed }) => {
      const editor = view.current
      if (!editor) return
      const line = editor.state.doc.lineAt(editor.state.selection.main.head)
      const from = line.from + start
      const to = from + typed.length
      const { text, caret } = completion.write(option, editor.state.sliceDoc(to, line.to))
      editor.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + caret } })
      editor.focus()
    },
  })
  const latest = useRef({ onChange, onSave, onEscape, suggestions })
  useLayoutEffect(() => {
    latest.current = { onChange, onSave, onEscape, suggestions }
  })
  const { isOpen } = suggestions

  /** Where the caret is. */
  const anchor = useMemo(
    (): PopoverAnchor => ({
      get current() {
        const editor = view.current
        if (!editor) return null
        return {
          isConnected: editor.dom.isConnected,
          focus: () => editor.focus(),
          getBoundingClientRect: () => {
            const at = editor.coordsAtPos(editor.state.selection.main.head)
            return at ? new DOMRect(at.left, at.top, 0, at.bottom - at.top) : editor.dom.getBoundingClientRect()
          },
        }
      },
    }),
    [],
  )
  // The list is outside of the shadow root, where ids do not reach.
  const setActiveOption = (element: HTMLElement | null): void => {
    if (view.current) view.current.contentDOM.ariaActiveDescendantElement = element
  }
  const onListChange = useEffectEvent((isShown: boolean): void => {
    if (!isShown) setActiveOption(null)
  })
  useEffect(() => onListChange(isOpen), [isOpen])

  const open = useEffectEvent((element: HTMLElement): (() => void) => {
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: initial,
        extensions: [
          history(),
          drawSelection(),
          highlighted.of(highlightingOf(initial)),
          theme,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true', tabindex: '0' }),
          placeholder('Write in Markdown'),
          Prec.highest(
            EditorView.domEventHandlers({
              keydown: (event) => {
                const isTaken = latest.current.suggestions.takesKey(event)
                if (isTaken) event.stopPropagation()
                return isTaken
              },
              blur: () => latest.current.suggestions.leave(),
            }),
          ),
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
            {
              key: 'Escape',
              run: () => {
                const { onEscape } = latest.current
                onEscape?.()
                return onEscape !== undefined
              },
            },
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString())
            if (!update.docChanged && !update.selectionSet) return
            const { head, empty } = update.state.selection.main
            const line = update.state.doc.lineAt(head)
            latest.current.suggestions.look(line.text, empty && update.view.hasFocus ? head - line.from : null)
          }),
        ],
      }),
    })
    view.current = editor
    editor.focus()
    return () => {
      editor.destroy()
      view.current = null
    }
  })
  useEffect(() => (host.current ? open(host.current) : undefined), [])

  const showText = useEffectEvent((_resetKey: string): void => {
    const editor = view.current
    if (!editor) return
    const text = initial
    editor.dispatch({
      changes: changesBetween(editor.state.doc.toString(), text),
      effects: highlighted.reconfigure(highlightingOf(text)),
      // Undoing goes back through what was typed here, and keeps what others wrote.
      annotations: Transaction.addToHistory.of(false),
    })
    // The button that was pressed for it is gone.
    if (document.activeElement === document.body) editor.focus()
  })
  // Before the browser goes on: what is typed next must find the new text.
  useLayoutEffect(() => showText(resetKey), [resetKey])

  return (
    <>
      <div ref={host} className="editor-host" />
      {isOpen && (
        <SuggestionList
          label={completion.label}
          anchor={anchor}
          suggestions={suggestions}
          keyOf={({ id }) => id}
          onActive={setActiveOption}
        >
          {({ name, hint }) => (
            <>
              <span className="truncate">{name}</span>
              {hint && <span className="muted truncate">{hint}</span>}
            </>
          )}
        </SuggestionList>
      )}
    </>
  )
}
