import type { ReactNode } from 'react'
import { Empty } from '../components/states'

export const NoKnowledge = (): ReactNode => (
  <Empty
    icon="book"
    title="Nothing is written down yet"
    command={`curl -X PUT ${location.origin}/v1/knowledge/guides/setup -H "authorization: Bearer $WORKLORE_KEY" -H "content-type: application/json" -d '{"content":"# Setup"}'`}
  >
    <p>Write the first item here, or let an agent do it:</p>
  </Empty>
)
