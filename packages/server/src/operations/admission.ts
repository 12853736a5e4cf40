import { type Awaitable, andThen } from '../base/awaitable.js'
import { AppError } from '../base/errors.js'
import type { Decision, EndpointLimit, RequestWindows } from '../limits/limiter.js'
import { overLimit } from '../limits/over-limit.js'
import type { Plan } from '../limits/plans.js'
import { type Actor, holdsScope, type Identity, type Scope } from './actor.js'
import type { Origin } from './call.js'
import type { Core } from './core.js'
import type { Operation, OperationCall } from './operation.js'

/** What the gate looks at; routes that no operation is behind have none of it. */
export interface Admissible {
  readonly kind?: Operation['kind']
  readonly scope?: Scope
  readonly limit?: EndpointLimit
  readonly isComposite?: boolean
  /** Of the console, though there is no session yet. */
  readonly isSignIn?: boolean
}

export interface AdmittedCall
  extends Omit<OperationCall, 'onAbandoned' | 'beginWaiting' | 'actorNow' | 'countOperations'> {
  /** The windows in which the call and the operations that it is made of count. */
  readonly countsIn: RequestWindows
}

export interface Admission {
  readonly decision: Decision
  /** Why the call is refused: over a limit, or without the scope. */
  readonly refusal?: AppError
  readonly call: AdmittedCall
}

const planOf = (core: Core, identity: Identity): Plan => core.plans.get(identity.plan) ?? core.plans.get('free')!

/**
 * Whether the user's role is the reason that the caller lacks the scope "admin". Either the key has the scope, or the
 * caller is a signed-in person whose scopes follow from the role.
 */
const isWithheldByRole = ({ isHeldBack, access, sessionId, tokenExpiresAt }: Actor): boolean => {
  const isSignedIn = sessionId !== undefined || tokenExpiresAt !== undefined
  return isHeldBack === true || (isSignedIn && access?.role !== 'admin' && access?.role !== null)
}

export const missingScope = (scope: Scope, actor: Actor): AppError => {
  if (scope === 'admin' && isWithheldByRole(actor)) {
    return new AppError('role', 'Your role in the tenant is not admin. An admin can change it.', {
      requiredScope: scope,
    })
  }
  return new AppError('scope', `This key lacks the scope "${scope}". Use a key that has it, or ask an admin.`, {
    requiredScope: scope,
  })
}

const nobody: Actor = {
  tenantId: '',
  keyId: '',
  keyName: '',
  userId: null,
  scopes: [],
  projectIds: [],
  keyExpiresAt: null,
}

export const requireScope = (actor: Actor, scope: Scope | undefined): void => {
  if (scope && !holdsScope(actor, scope)) throw missingScope(scope, actor)
}

/** A call without a key, to an operation that needs none. It counts by where it came from. */
export const admitWithoutKey = (core: Core, address: string, origin: Origin): Admission => {
  const decision = core.limiter.takeAnonymous(address)
  const call = {
    core,
    plan: core.plans.get('free')!,
    db: core.db,
    clock: core.clock,
    actor: nobody,
    origin,
    countsIn: 'plan' as const,
  }
  return decision.isAllowed ? { decision, call } : { decision, call, refusal: overLimit(decision) }
}

/** People at the console can look at and stop what agents do, however much of the plan the agents use. */
const requestWindowsOf = ({ sessionId }: Actor, { kind, isSignIn }: Admissible): RequestWindows => {
  if (sessionId === undefined && !isSignIn) return 'plan'
  return kind === 'read' ? 'sessionReads' : 'sessionWrites'
}

/** The one gate that every interface goes through: the limits are counted, then the scope is checked. */
export const admit = (core: Core, identity: Identity, wanted: Admissible, origin: Origin): Awaitable<Admission> => {
  const { actor } = identity
  const plan = planOf(core, identity)
  const countsIn = requestWindowsOf(actor, wanted)
  const call = { core, plan, db: core.db.ofTenant(actor.tenantId), clock: core.clock, actor, origin, countsIn }
  const { limiter } = core
  const counted = wanted.isComposite
    ? limiter.admit(actor.tenantId, plan, { operations: [], countsIn })
    : limiter.take(actor.tenantId, plan, wanted.limit, countsIn)
  return andThen(counted, (decision) => {
    if (!decision.isAllowed) return { decision, call, refusal: overLimit(decision, plan) }
    core.keysUsed.note(actor.tenantId, actor.keyId)
    if (actor.sessionId !== undefined) core.sessionsUsed.note(actor.tenantId, actor.sessionId)
    const { scope } = wanted
    if (scope && !holdsScope(actor, scope)) {
      core.refusals.note({ action: 'scope.refused', actor, origin, details: { requiredScope: scope } })
      return { decision, call, refusal: missingScope(scope, actor) }
    }
    return { decision, call }
  })
}

/**
 * Counts the operations of a call, or refuses all of them and reports how many would fit. `countsIn` is null if the
 * request that contains them was already counted.
 */
export const countOperations = (
  { core, actor, plan }: Pick<AdmittedCall, 'core' | 'actor' | 'plan'>,
  countsIn: RequestWindows | null,
  operations: readonly (EndpointLimit | undefined)[],
): Awaitable<{ decision: Decision; refusal?: AppError }> =>
  andThen(core.limiter.admit(actor.tenantId, plan, { operations, countsIn }), (decision) => {
    if (decision.isAllowed) return { decision }
    return { decision, refusal: overLimit(decision, plan).with({ maxOperations: decision.fits ?? 0 }) }
  })
