/** The provider, asked only as often as it may be. */
import type { AndroidManagement, Answer, ProviderFault } from '../providers/port.ts'
import type { Budget, RequestClass } from './budget.ts'

/**
 * Every request counts, except for notifications, which are no requests of the Android Management API.
 * Where there is no room it is answered as the provider would: `rate_limited`, with when to come again.
 */
export function withBudget(port: AndroidManagement, budget: Budget): AndroidManagement {
  const counted = <A extends unknown[], T>(
    requestClass: RequestClass,
    ask: (...args: A) => Promise<Answer<T>>,
  ): ((...args: A) => Promise<Answer<T>>) => limited(budget, requestClass, ask)
  return {
    projectId: port.projectId,
    createSignupUrl: counted('enterprise', port.createSignupUrl),
    createEnterprise: counted('enterprise', port.createEnterprise),
    createEnrollmentToken: counted('enterprise', port.createEnrollmentToken),
    patchPolicy: counted('policy', port.patchPolicy),
    assignPolicy: counted('device', port.assignPolicy),
    deleteDevice: counted('device', port.deleteDevice),
    issueCommand: counted('command', port.issueCommand),
    getDevice: counted('reading', port.getDevice),
    listDevices: counted('reading', port.listDevices),
    getOperation: counted('reading', port.getOperation),
    listOperations: counted('reading', port.listOperations),
    pull: port.pull,
    acknowledge: port.acknowledge,
  }
}

function limited<A extends unknown[], T>(
  budget: Budget,
  requestClass: RequestClass,
  ask: (...args: A) => Promise<Answer<T>>,
): (...args: A) => Promise<Answer<T>> {
  return async (...args) => {
    const taken = await budget.take(requestClass).catch(() => undefined)
    if (!taken) return { ok: false, fault: UNCOUNTED }
    if (!taken.granted) return { ok: false, fault: noRoom(taken.retry_after_s) }
    const answer = await ask(...args)
    if (answer.ok || answer.fault.kind !== 'rate_limited') return answer
    const told = answer.fault.retry_after_s ?? 0
    const retry_after_s = await budget.pause(requestClass, told).catch(() => told)
    return { ok: false, fault: { ...answer.fault, retry_after_s } }
  }
}

const noRoom = (retry_after_s: number): ProviderFault => ({
  kind: 'rate_limited',
  message: 'As many requests as may be were made to Google.',
  retry_after_s,
  is_ambiguous: false,
})

/** The database does not answer: nothing could be kept of what Google would say either. */
const UNCOUNTED: ProviderFault = {
  kind: 'unavailable',
  message: 'Requests to Google cannot be counted at the moment.',
  is_ambiguous: false,
}
