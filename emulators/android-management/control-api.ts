/** The control interface over HTTP: JSON, no authentication, for whoever can reach the port. */
import type { HttpReply, HttpRequest } from '../http-server.ts'
import type { AndroidControl } from './control.ts'
import {
  BulkRequest,
  ClockRequest,
  CommandFailure,
  EnrolRequest,
  Faults,
  PhoneChange,
  Repair,
  readerOf,
  SignupRequest,
  Violation,
} from './control-schema.ts'
import { ApiError, invalid } from './errors.ts'

type Call = { ids: readonly string[]; query: URLSearchParams; body: unknown }
type Route = readonly [route: RegExp, handler: (control: AndroidControl, call: Call) => unknown]

const read = {
  signup: readerOf(SignupRequest),
  enrol: readerOf(EnrolRequest),
  bulk: readerOf(BulkRequest),
  change: readerOf(PhoneChange),
  violation: readerOf(Violation),
  repair: readerOf(Repair),
  failure: readerOf(CommandFailure),
  faults: readerOf(Faults),
  clock: readerOf(ClockRequest),
}

/** `{}` stands for one id. */
const route = (text: string, handler: Route[1]): Route => [
  new RegExp(`^${text.replaceAll('{}', '([^/]+)')}$`),
  handler,
]

const ROUTES: readonly Route[] = [
  route('GET service-account', (control) => control.serviceAccount()),
  route('POST signups/{}', (control, { ids, body }) =>
    control.completeSignup(ids[0] ?? '', read.signup(body)),
  ),
  route('GET enterprises', (control) => ({ enterprises: control.listEnterprises() })),
  route('POST phones/bulk', (control, { body }) => control.startBulk(read.bulk(body))),
  route('GET phones/bulk', (control) => control.bulkProgress()),
  route('POST phones', (control, { body }) => control.enrolPhone(read.enrol(body))),
  route('GET phones', (control, { query }) => {
    const limit = query.get('limit')
    return {
      phones: control.listPhones({
        enterprise: query.get('enterprise') ?? undefined,
        ...(limit !== null && { limit: Math.max(1, Number(limit) || 1) }),
      }),
    }
  }),
  route('GET phones/{}', (control, { ids }) => control.getPhone(ids[0] ?? '')),
  route('PATCH phones/{}', (control, { ids, body }) =>
    control.changePhone(ids[0] ?? '', read.change(body)),
  ),
  route('POST phones/{}/report', (control, { ids }) => control.report(ids[0] ?? '')),
  route('POST phones/{}/violate', (control, { ids, body }) =>
    control.violate(ids[0] ?? '', read.violation(body)),
  ),
  route('POST phones/{}/repair', (control, { ids, body }) =>
    control.repair(ids[0] ?? '', read.repair(body)),
  ),
  route('POST phones/{}/commands/{}/acknowledge', (control, { ids }) =>
    control.acknowledgeCommand(ids[0] ?? '', ids[1] ?? ''),
  ),
  route('POST phones/{}/commands/{}/fail', (control, { ids, body }) =>
    control.failCommand(ids[0] ?? '', ids[1] ?? '', read.failure(body)),
  ),
  route('POST phones/{}/reset', (control, { ids }) => control.resetPhone(ids[0] ?? '')),
  route('POST phones/{}/apply-policy', (control, { ids }) => control.applyPolicy(ids[0] ?? '')),
  route('GET faults', (control) => control.getFaults()),
  route('PUT faults', (control, { body }) => control.setFaults(read.faults(body))),
  route('POST clock', (control, { body }) => control.advanceClock(read.clock(body))),
  route('GET truth', (control) => control.truth()),
  route('GET requests', (control) => ({ requests: control.requests() })),
]

export const CONTROL_PREFIX = '/control/'

/** @param path without query */
export function callControl(
  control: AndroidControl,
  request: HttpRequest,
  path: string,
  query: URLSearchParams,
): HttpReply {
  const line = `${request.method} ${path.slice(CONTROL_PREFIX.length)}`
  for (const [pattern, handler] of ROUTES) {
    const found = pattern.exec(line)
    if (found === null) continue
    const ids = found.slice(1).map(decodeURIComponent)
    const answer = handler(control, { ids, query, body: readBody(request.body) })
    return { status: 200, body: answer }
  }
  throw new ApiError('NOT_FOUND', `There is no ${request.method} ${path}`)
}

function readBody(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw invalid('the body is not JSON')
  }
}
