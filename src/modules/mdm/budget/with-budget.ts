import { definite } from '../providers/faults.ts'
import type { AndroidManagement, Answer } from '../providers/port.ts'
import type { Budget, RequestClass } from './budget.ts'

/**
 * Counts every request against the budget, except for notifications, which are no requests of the
 * Android Management API. A request that does not fit is not sent; it is answered as the provider would
 * answer it, with `rate_limited` and `retry_after_s`.
 */
export function withBudget(port: AndroidManagement, budget: Budget): AndroidManagement {
  const counted =
    <A extends unknown[], T>(
      requestClass: RequestClass,
      send: (...args: A) => Promise<Answer<T>>,
    ) =>
    async (...args: A): Promise<Answer<T>> => {
      const grant = await budget.take(requestClass).catch(() => undefined)
      if (!grant) return { ok: false, fault: UNCOUNTED }
      if (!grant.granted) {
        return { ok: false, fault: { ...NO_ROOM, retry_after_s: grant.retry_after_s } }
      }
      const answer = await send(...args)
      if (answer.ok || answer.fault.kind !== 'rate_limited') return answer
      const requested = answer.fault.retry_after_s ?? 0
      const retry_after_s = await budget.pause(requestClass, requested).catch(() => requested)
      return { ok: false, fault: { ...answer.fault, retry_after_s } }
    }
  return {
    projectId: port.projectId,
    createSignupUrl: counted('enterprise', port.createSignupUrl),
    createEnterprise: counted('enterprise', port.createEnterprise),
    createEnrollmentToken: counted('enterprise', port.createEnrollmentToken),
    deleteEnrollmentToken: counted('enterprise', port.deleteEnrollmentToken),
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
    modifyAckDeadline: port.modifyAckDeadline,
  }
}

const NO_ROOM = definite('rate_limited', 'The limit of requests to Google is reached.')
/** Without the database the request is not sent, because its result could not be stored either. */
const UNCOUNTED = definite('unavailable', 'Requests to Google cannot be counted at the moment.')
