export interface ItemAddress {
  key: string
  projectId: string | null
}

/** The project of an item, for calls that take a key. */
export const placeOf = ({ projectId }: ItemAddress): { projectId?: string } => (projectId ? { projectId } : {})

/** The address of a knowledge item; the project tells apart items with the same key. */
export const itemLink = (key: string, projectKey: string | undefined) =>
  ({
    to: '/k/$',
    params: { _splat: key },
    search: { project: projectKey },
  }) as unknown as { to: '/k/$' }

/** Storage name of an item's draft. */
export const itemDraftName = (projectId: string | null, key: string): string => `knowledge.${projectId ?? ''}.${key}`
