import type { Admission, EndpointLimit, RequestWindows } from './limiter.js'
import { endpointWindows, windowKinds, windowsCountedBy } from './windows.js'

/** An admission with what it costs in each window, by the windows' places, and the endpoints whose windows it needs. */
export interface CountedAdmission extends Admission {
  readonly costs: readonly number[]
  readonly endpoints: readonly EndpointLimit[]
}

const endpointLimits = Object.keys(endpointWindows) as EndpointLimit[]

export const countedAdmission = ({ operations, countsIn }: Admission): CountedAdmission => {
  const costs = windowKinds.map(() => 0)
  for (const endpoint of operations) for (const at of windowsCountedBy(endpoint, countsIn)) costs[at]!++
  const endpoints = endpointLimits.filter((endpoint) => costs[endpointWindows[endpoint].at]! > 0)
  return { operations, countsIn, costs, endpoints }
}

type RequestAdmissions = Readonly<Record<EndpointLimit | 'none', CountedAdmission>>

const requestAdmissionsIn = (countsIn: RequestWindows): RequestAdmissions => {
  const requestOf = (endpoint?: EndpointLimit) => countedAdmission({ operations: [endpoint], countsIn })
  return {
    none: requestOf(),
    taskCreates: requestOf('taskCreates'),
    searches: requestOf('searches'),
    knowledgeWrites: requestOf('knowledgeWrites'),
  }
}

const requestAdmissions: Readonly<Record<RequestWindows, RequestAdmissions>> = {
  plan: requestAdmissionsIn('plan'),
  sessionReads: requestAdmissionsIn('sessionReads'),
  sessionWrites: requestAdmissionsIn('sessionWrites'),
}

/** One request, as `take` counts it. */
export const requestAdmission = (
  endpoint: EndpointLimit | undefined,
  countsIn: RequestWindows = 'plan',
): CountedAdmission => requestAdmissions[countsIn][endpoint ?? 'none']
