/**
 * Requests that cost the service as much as their sender can make them cost. Each kind of value fills a body
 * of a certain size with something that is slow to parse, to examine or to refuse.
 */
export type HostileRequest = {
  name: string
  path: string
  /** Which credential is sent. */
  sender: 'nobody' | 'secret key' | 'public key'
  body: Buffer
  /** Whether the route documents such bodies; see `full-requests.ts`. */
  is_documented: boolean
}

type Target = Pick<HostileRequest, 'path' | 'sender'> & {
  /** Sizes of bodies in bytes: about the limit of the route, and far beyond it. */
  sizes: number[]
  /** The body around a value. */
  around: (value: string) => string
  /** Default: all. */
  values?: Record<string, (bytes: number) => string>
}

const KB = 1024
const MB = 1024 * KB
/** Space for what is around the value. */
const AROUND_BYTES = 200

const TARGETS: Target[] = [
  {
    path: '/console/api/auth/refresh',
    sender: 'nobody',
    sizes: [64 * KB, 15 * MB],
    around: (value) => `{"refresh_token":"x","a":${value}}`,
  },
  {
    path: '/console/api/auth/login',
    sender: 'nobody',
    sizes: [64 * KB, 15 * MB],
    around: (value) => `{"email":5,"a":${value}}`,
  },
  {
    path: '/console/api/invitations/show',
    sender: 'nobody',
    sizes: [64 * KB, 15 * MB],
    around: (value) => `{"token":"x","a":${value}}`,
  },
  {
    path: '/v1/check',
    sender: 'secret key',
    sizes: [64 * KB, 256 * KB, 15 * MB],
    around: (value) => `{"phone":"+12025550143","metadata":{"a":${value}}}`,
  },
  {
    path: '/v1/check/bulk',
    sender: 'secret key',
    sizes: [16 * MB],
    around: (value) => `{"checks":[{"phone":"+12025550143","metadata":{"a":${value}}}]}`,
  },
  {
    path: '/v1/orders',
    sender: 'secret key',
    sizes: [256 * KB],
    around: (value) => `{"external_order_id":"1","amount_cents":1,"a":${value}}`,
  },
  {
    path: '/v1/orders/bulk',
    sender: 'secret key',
    sizes: [16 * MB],
    around: (value) => `{"orders":[{"external_order_id":"1","amount_cents":1,"a":${value}}]}`,
  },
  {
    path: '/v1/edge/logs',
    sender: 'secret key',
    sizes: [5 * MB],
    around: (value) => `{"logs":[${value}]}`,
  },
  {
    path: '/v1/rum/events',
    sender: 'public key',
    sizes: [MB],
    around: (value) => `{"session_id":"s","events":[${value}]}`,
  },
]

/** JSON of about this size. */
const VALUES: Record<string, (bytes: number) => string> = {
  objects: (bytes) => `[${repeated('{},', bytes)}{}]`,
  lists: (bytes) => `[${repeated('[],', bytes)}[]]`,
  numbers: (bytes) => `[${repeated('0,', bytes)}0]`,
  nesting: (bytes) => repeated('[', bytes),
  members: (bytes) => `{${members(bytes)}}`,
  'a repeated member': (bytes) => `{"k0":0,${members(bytes)}}`,
  'as many members as permitted': (bytes) => `{${members(bytes, memberBytes(bytes))}}`,
  'few names in many orders': (bytes) => `[${combinations(bytes)}]`,
  'different short texts': (bytes) => `[${shortTexts(bytes)}]`,
  'numbers as names': (bytes) => `[${repeated('{"4000000000":0},', bytes)}0]`,
  'one long name': (bytes) => `{"${'x'.repeat(bytes)}\\u0000":0}`,
  escapes: (bytes) => `"${repeated('\\u00e9', bytes)}\\u0000"`,
}

const ENTRIES_MAX = 1000

/** As many errors as a batch may have, which are accepted. */
const ERRORS: Target = {
  path: '/v1/edge/logs',
  sender: 'secret key',
  sizes: [5 * MB],
  around: (value) => `{"logs":[${value}]}`,
  values: {
    'errors that are slow to group': (bytes) => {
      const entry = { device_id: 'till', level: 'error', message: '(('.repeat(512) }
      const stack = '    at pay (/srv/x.js:1:2)\n'.repeat((bytes / ENTRIES_MAX - 1090) / 28)
      return repeated(`${JSON.stringify({ ...entry, error: { stack } })},`, bytes).slice(0, -1)
    },
  },
}

/** @param most largest size that is wanted */
export function createHostileRequests(most: number): HostileRequest[] {
  return [...TARGETS, ERRORS].flatMap(({ path, sender, sizes, around, values = VALUES }) =>
    sizes
      .filter((size) => size <= most)
      .flatMap((size) =>
        Object.entries(values).map(([kind, make]) => ({
          name: `${path}, ${kind}, ${sizeName(size)}`,
          path,
          sender,
          body: Buffer.from(around(make(size - AROUND_BYTES))),
          is_documented: false,
        })),
      ),
  )
}

/** A body may have a value for every 16 bytes, and usually at most 262,144. */
const VALUES_MAX = 250_000
const memberBytes = (bytes: number): number => Math.max(17, Math.ceil(bytes / VALUES_MAX))

const repeated = (text: string, bytes: number): string =>
  text.repeat(Math.floor(bytes / text.length))

/** @param each minimum size of a member */
function members(bytes: number, each = 0): string {
  const parts: string[] = []
  for (let size = 0; size < bytes; size += parts.at(-1)?.length ?? 0) {
    parts.push(`"k${parts.length}":0`.padEnd(each - 1) + ',')
  }
  return parts.join('').slice(0, -1)
}

/** Objects of ten members: as many as a body may have, each with another sequence of the same hundred names. */
function combinations(bytes: number): string {
  const count = Math.min(VALUES_MAX / 11, Math.floor(bytes / 176))
  const objects = Array.from({ length: count }, (_, number) => {
    const digits = Array.from(String((number * 7919) % 1e10).padStart(10, '0')).toReversed()
    return `{${digits.map((digit, place) => `"${place}-${digit}":0`).join()}}`
  })
  return objects.join()
}

/** The parser looks up texts of up to ten characters in a table of all that it knows. */
function shortTexts(bytes: number): string {
  const count = Math.min(VALUES_MAX, Math.floor(bytes / 17))
  return Array.from(
    { length: count },
    (_, number) => `"${(number * 7919 + 1e9).toString(36)}"`,
  ).join()
}

const sizeName = (size: number): string =>
  size < MB ? `${size / KB} KB` : `${(size / MB).toFixed(0)} MB`
