/** How an agent takes its first task. */
export const nextCommand = (): string =>
  `curl -X POST ${location.origin}/v1/tasks/next -H "authorization: Bearer $WORKLORE_KEY"`
