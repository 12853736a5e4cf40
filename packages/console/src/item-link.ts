/** The address of a knowledge item; the project tells apart items with the same key. */
export const itemLink = (key: string, projectKey: string | undefined) =>
  ({
    to: '/k/$',
    params: { _splat: key },
    search: { project: projectKey },
  }) as unknown as { to: '/k/$' }

/** Storage name of an item's draft. */
export const itemDraftName = (projectId: string | null, key: string): string => `knowledge.${projectId ?? ''}.${key}`
