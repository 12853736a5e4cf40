import type { ReactNode } from 'react'
import { Markdown } from '../markdown/markdown'
import '../styles/prose.css'

export const RowProse = ({ text }: { text: string }): ReactNode => (
  <div className="need-text">
    <Markdown text={text} />
  </div>
)
