import { type ReactNode, Suspense } from 'react'
import { onDemand } from '../components/on-demand'
import { useSettled } from '../layout/use-settled'
import { plainText } from '../markdown/plain-text'

const Prose = onDemand(() => import('./row-prose').then(({ RowProse }) => ({ default: RowProse })))

const hasMarks = (text: string): boolean => /[*_`#>|[\]~<\n-]/.test(text)

const withoutMarks = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*(```|~~~)/.test(line))
    .map(plainText)
    .join('\n')

/** The start of a text, without marks; the whole of it, as Markdown, in the row that is selected. */
export const RowText = ({ text, isWhole }: { text: string; isWhole: boolean }): ReactNode => {
  // The row that is selected with the page is shown before what renders Markdown is loaded.
  const isSettled = useSettled()
  const plain = (
    <p className="need-text" data-cut={!isWhole}>
      {withoutMarks(text)}
    </p>
  )
  return isWhole && isSettled && hasMarks(text) ? (
    <Suspense fallback={plain}>
      <Prose text={text} />
    </Suspense>
  ) : (
    plain
  )
}
