import type { ReactNode } from 'react'
import type { Task } from 'worklore-client'
import '../../styles/fields.css'

/** The task's metadata; nothing where it is empty. */
export const Metadata = ({ value }: { value: Task['metadata'] }): ReactNode =>
  Object.keys(value).length > 0 && (
    <section className="links" aria-label="Metadata">
      <div className="links-head">
        <h3>Metadata</h3>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long values scroll, and the keyboard must reach them */}
      <pre className="metadata" tabIndex={0}>
        {JSON.stringify(value, null, 2)}
      </pre>
    </section>
  )
