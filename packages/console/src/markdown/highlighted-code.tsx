import { type ReactNode, useContext, useEffect, useState } from 'react'
import type { CodePart, CodeRequest } from './code-part'
import { MarkdownLexerContext } from './lexer'
import '../styles/code.css'

/** Parts of a code are elements: more take the page long to lay out. */
const maxParts = 5_000

/** A code in colors; without them until they are known, and where its language is not. */
const HighlightedCode = ({ code, language }: CodeRequest): ReactNode => {
  const lexer = useContext(MarkdownLexerContext)
  const [parts, setParts] = useState<readonly CodePart[] | null>(null)
  useEffect(() => {
    const controller = new AbortController()
    setParts(null)
    void lexer?.ask({ code, language }, controller.signal).then((answer) => {
      if (!controller.signal.aborted && Array.isArray(answer) && answer.length <= maxParts) setParts(answer)
    })
    return () => controller.abort()
  }, [lexer, code, language])
  if (!parts) return code
  return parts.map(([color, text], index) =>
    color ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
      <span key={index} className={`code-${color}`}>
        {text}
      </span>
    ) : (
      text
    ),
  )
}

export default HighlightedCode
