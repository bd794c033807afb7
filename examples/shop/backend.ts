/**
 * The backend of the sample shop: it checks sign-ups, scores orders, receives webhooks, sends push messages
 * and ships its log. Customers and orders are in memory, and there are no passwords.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
// In a project of your own: from '@vigil/server'.
import {
  createLogShipper,
  createVigil,
  verifyWebhook,
  type WebhookEvent,
} from '../../sdk/server-ts/src/index.ts'

type Order = { id: string; state: 'accepted' | 'waiting' | 'released' }
type Customer = { id: string; email: string; device: string | undefined; orders: Order[] }
type Body = { email?: string; device?: string; fingerprint_hash?: string; city?: string }
type Answer = { status: number; content: object; session?: string }

const CITIES: Record<string, object> = {
  Berlin: { location_country: 'Germany', location_latitude: 52.52, location_longitude: 13.4 },
  Tokyo: { location_country: 'Japan', location_latitude: 35.68, location_longitude: 139.69 },
}
const FILES: Record<string, string> = {
  '/vigil-rum.js': 'dist/sdk/browser/vigil-rum.js',
  '/vigil-device.mjs': 'dist/sdk/device-js/vigil-device.mjs',
  '/vigil-device-signals.mjs': 'dist/sdk/device-js/vigil-device-signals.mjs',
}
const PRICE_CENTS = 4990
/** The checkout must not wait for another service any longer. */
const DEADLINE_MS = 5000
const BODY_BYTES_MAX = 1_000_000

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}
const url = setting('VIGIL_URL')
const application_id = setting('VIGIL_APPLICATION_ID')
const vigil = createVigil({
  base_url: `${url}/v1`,
  api_key: setting('VIGIL_SECRET_KEY'),
  total_ms: DEADLINE_MS,
})
const logs = createLogShipper({ vigil, device_id: 'shop-backend' })
/** By the value of the session cookie. */
const sessions = new Map<string, Customer>()
const customers = new Map<string, Customer>()
const seenEvents = new Set<string>()

async function signUp({ email = '', device, fingerprint_hash }: Body): Promise<Answer> {
  const check = await vigil.createCheck({
    email,
    event_type: 'signup',
    ...(device && { device: { signed_report: device } }),
  })
  const { risk_level } = check
  logs.log('info', `Sign-up with risk ${risk_level}`, { data: { check_id: check.check_id } })
  if (risk_level === 'critical') return { status: 403, content: { risk_level } }
  const customer = { id: randomUUID(), email, device: fingerprint_hash, orders: [] }
  customers.set(customer.id, customer)
  return { status: 200, content: { risk_level }, session: startSession(customer) }
}

/** The app on the phone. A real shop requires a password here. */
function signIn({ email }: Body): Answer {
  const customer = [...customers.values()].find((each) => each.email === email)
  if (!customer) return { status: 404, content: {} }
  return { status: 200, content: { id: customer.id }, session: startSession(customer) }
}

function startSession(customer: Customer): string {
  const session = randomUUID()
  sessions.set(session, customer)
  return session
}

async function placeOrder(customer: Customer, { city = '' }: Body): Promise<Answer> {
  // Otherwise a harmless order could lower the risk of the customer and release the one that waits.
  if (customer.orders.some(isWaiting)) return { status: 409, content: {} }
  const placed: Order = { id: `order-${randomUUID()}`, state: 'waiting' }
  customer.orders.push(placed)
  const { risk } = await vigil.createOrder({
    external_order_id: placed.id,
    external_id: customer.id,
    amount_cents: PRICE_CENTS,
    currency: 'EUR',
    payment_method: 'card',
    ...(customer.device && { fingerprint_hash: customer.device }),
    ...CITIES[city],
  })
  if (!risk.flagged_for_review) placed.state = 'accepted'
  else logs.log('warn', `Order ${placed.id} waits for a review`, { category: 'orders' })
  return { status: 200, content: placed }
}

/** A decision that an order is legitimate lowers the risk of its customer, which releases what waits. */
async function receive(event: WebhookEvent): Promise<void> {
  if (seenEvents.has(event.id)) return
  seenEvents.add(event.id)
  logs.log('info', `Webhook ${event.type}`, { category: 'webhooks' })
  if (event.type !== 'profile.risk.changed') return
  const { external_id, risk_level } = event.data.profile
  const customer = customers.get(external_id)
  if (!customer || risk_level === 'high' || risk_level === 'critical') return
  for (const order of customer.orders.filter(isWaiting)) {
    order.state = 'released'
    await vigil.sendPushMessage({
      application_id,
      external_user_ids: [customer.id],
      title: 'Your order is on its way',
      body: order.id,
    })
  }
}

const isWaiting = ({ state }: Order): boolean => state === 'waiting'

async function route(request: IncomingMessage): Promise<Answer> {
  const text = (await bodyOf(request)).toString()
  const body = (text === '' ? {} : JSON.parse(text)) as Body
  const path = `${request.method} ${request.url}`
  if (path === 'POST /sign-up') return await signUp(body)
  if (path === 'POST /sign-in') return signIn(body)
  const [, session = ''] = /session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  const customer = sessions.get(session)
  if (!customer) return { status: 401, content: {} }
  if (path === 'POST /orders') return await placeOrder(customer, body)
  if (path === 'GET /orders') return { status: 200, content: customer.orders }
  if (path !== 'POST /push-identity') return { status: 404, content: {} }
  const content = await vigil.createPushIdentityToken({
    application_id,
    external_user_id: customer.id,
  })
  return { status: 200, content }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  if (!(Number(request.headers['content-length'] ?? 0) <= BODY_BYTES_MAX))
    throw new Error('Too large')
  return await buffer(request)
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/') {
    const page = readFileSync('examples/shop/page.html', 'utf8')
      .replace('{{url}}', url)
      .replaceAll('{{public_key}}', setting('VIGIL_PUBLIC_KEY'))
    return void response.setHeader('Content-Type', 'text/html').end(page)
  }
  const file = FILES[request.url ?? '']
  if (file !== undefined) {
    return void response.setHeader('Content-Type', 'text/javascript').end(readFileSync(file))
  }
  const { status, content, session } = await route(request)
  if (session) response.setHeader('Set-Cookie', `session=${session}; HttpOnly; SameSite=Strict`)
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content))
}

async function serveHook(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const event = await verifyWebhook({
    body: await bodyOf(request),
    signature: [request.headers['x-service-signature']].flat()[0],
    secrets: [setting('VIGIL_WEBHOOK_SECRET')],
  })
  response.writeHead(event ? 200 : 401).end()
  if (event) await receive(event)
}

const answering =
  (handle: typeof serve) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response).catch((error: unknown) => {
      logs.log('error', 'A request failed', { error })
      if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'application/json' })
      response.end('{}')
    })
  }

const identity = { cert: readFileSync(setting('TLS_CERT')), key: readFileSync(setting('TLS_KEY')) }
createTlsServer(identity, answering(serveHook)).listen(Number(setting('HOOK_PORT')), '127.0.0.1')
const shop = createServer(answering(serve)).listen(Number(setting('SHOP_PORT')), '127.0.0.1', () =>
  console.log(`Shop http://127.0.0.1:${(shop.address() as AddressInfo).port}`),
)
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => void logs.close().then(() => process.exit()))
}
