import { Fragment, type ReactNode } from 'react'

const withoutEscapes = (text: string): string =>
  text.replace(
    /&(lt|gt|quot|amp|#39|#x27);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name] ?? "'",
  )

/** The service escapes the passage and puts matches into `<mark>`; here both become elements and text again. */
export const Snippet = ({ text }: { text: string }): ReactNode =>
  text.split(/<mark>(.*?)<\/mark>/s).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
      <mark key={index}>{withoutEscapes(part)}</mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
      <Fragment key={index}>{withoutEscapes(part)}</Fragment>
    ),
  )
