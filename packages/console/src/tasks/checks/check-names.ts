import type { Check } from 'worklore-client'

export type CheckState = Check['state']
export type Verifier = Check['verifier']

export const verifierNames: Record<Verifier, string> = {
  anyone: 'Anyone',
  other: 'Someone else',
  human: 'A person',
}

export const isMet = ({ state }: Check): boolean => state === 'passed' || state === 'waived'
