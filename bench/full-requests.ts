/**
 * The largest requests that the routes document. They may cost what they cost; hostile ones are compared with
 * them.
 */
import type { HostileRequest } from './hostile-requests.ts'

const ITEMS = 500
const ORDERS = 100
const CHECKS = 100
const ENTRIES = 1000
const EVENTS = 80
/** Near the limit of each of the three opaque members of a check. */
const DATA_BYTES = 64_000
/** A thousand entries of this size are the largest batch. */
const ENTRY_BYTES = 4900
const STACK_CHARS = 11_000

export function createFullRequests(): HostileRequest[] {
  const checks = Array.from({ length: CHECKS }, () => ({ ...check(), metadata: data(DATA_BYTES) }))
  const orders = Array.from({ length: ORDERS }, (_, number) => order(number))
  return [
    full('/v1/check', { ...check(), ...opaque() }),
    full('/v1/check/bulk', { checks }),
    full('/v1/orders', order(ORDERS)),
    full('/v1/orders/bulk', { orders }),
    full('/v1/edge/logs', { logs: Array.from({ length: ENTRIES }, (_, number) => entry(number)) }),
    full('/v1/rum/events', {
      session_id: 's',
      events: Array.from({ length: EVENTS }, (_, number) => event(number)),
    }),
  ]
}

const full = (path: string, body: object): HostileRequest => ({
  name: `${path}, as large as documented`,
  path,
  sender: path.startsWith('/v1/rum') ? 'public key' : 'secret key',
  body: Buffer.from(JSON.stringify(body)),
  is_documented: true,
})

const check = () => ({ phone: '+12025550143', event_type: 'signup' })
const opaque = () => ({
  metadata: data(DATA_BYTES),
  device: data(DATA_BYTES),
  behavior: data(DATA_BYTES),
})

/** Members of about 40 bytes, as signals and measurements have. */
function data(bytes: number): object {
  const names = Array.from({ length: Math.floor(bytes / 40) }, (_, index) => `measurement_${index}`)
  return Object.fromEntries(names.map((name, index) => [name, `value number ${index}`]))
}

const order = (number: number) => ({
  external_order_id: `full-${number}`,
  amount_cents: 100 * ITEMS,
  items: Array.from({ length: ITEMS }, (_, index) => ({
    external_item_id: `sku-${number}-${index}`,
    item_category: 'shoes',
    quantity: 1,
    unit_price_cents: 100,
    total_price_cents: 100,
    discount_cents: 0,
  })),
})

const entry = (number: number) => ({
  device_id: `till-${number % 50}`,
  level: 'error',
  message: `payment ${number} was declined by the terminal`,
  timestamp: new Date().toISOString(),
  error: { type: 'PaymentError', stack: stackOf(number, ENTRY_BYTES / 2) },
  data: data(ENTRY_BYTES / 2),
})

const event = (number: number) => ({
  type: 'error',
  timestamp: Date.now(),
  error: { type: 'TypeError', message: 'x is not a function', stack: stackOf(number, STACK_CHARS) },
})

/** Names of three letters may be minified, so that every frame of the stack is read. */
function stackOf(number: number, chars: number): string {
  let stack = 'TypeError: x is not a function'
  for (let line = 0; stack.length < chars; line += 1) {
    stack += `\n    at pay (https://shop.example/assets/app-${line}.js:${line}:${number})`
  }
  return stack.slice(0, chars)
}
