import type { ReactNode } from 'react'
import { Empty } from '../components/states'

/** Whether agents work follows from their claims, which are part of the tasks. */
export const ClaimsHidden = (): ReactNode => (
  <div className="notice blue">
    <span>
      Seeing who works on what needs the scope <code>tasks:read</code>, which your key does not have.
    </span>
  </div>
)

/** Shows how an agent takes its first task. */
export const NoAgents = (): ReactNode => (
  <Empty
    icon="agents"
    title="No agent has worked here yet"
    command={`curl -X POST ${location.origin}/v1/tasks/next -H "authorization: Bearer $WORKLORE_KEY"`}
  >
    <p>Give an agent a key under Keys. Once it claims a task, it shows up here.</p>
  </Empty>
)
