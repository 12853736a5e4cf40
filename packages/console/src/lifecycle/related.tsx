import type { ReactNode } from 'react'
import { NotFoundError } from 'worklore-client'
import { readErrorText } from '../api/error-text'
import { Button } from '../components/button'
import type { usePages } from './use-pages'
import '../styles/lifecycle.css'

interface RelatedProps<T> {
  title: string
  pages: ReturnType<typeof usePages<T>>
  keyOf: (record: T) => string
  children: (record: T) => ReactNode
}

/** Stands where a part comes once it is loaded, if there is one: what is below it in a drawer waits. */
export const Pending = (): ReactNode => <span aria-busy="true" hidden />

/** Records that have to do with the open one; nothing where there are none. */
export const Related = <T,>({ title, pages, keyOf, children }: RelatedProps<T>): ReactNode => {
  const { records, error, reload, hasMore, more, isLoadingMore } = pages
  // Of a record that is gone, the page itself tells.
  const isFailed = error !== undefined && records === undefined && !(error instanceof NotFoundError)
  if (records === undefined && error === undefined) return <Pending />
  if (!isFailed && (records?.length ?? 0) === 0) return null
  return (
    <section className="related" aria-label={title}>
      <h3>{title}</h3>
      {isFailed && (
        <p className="muted">
          {readErrorText(error)}{' '}
          <Button small onClick={reload}>
            Try again
          </Button>
        </p>
      )}
      <ul>
        {records?.map((record) => (
          <li key={keyOf(record)}>{children(record)}</li>
        ))}
      </ul>
      {hasMore && (
        <Button kind="quiet" small disabled={isLoadingMore} onClick={() => void more()}>
          Show more
        </Button>
      )}
    </section>
  )
}
