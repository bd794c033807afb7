/**
 * Routes are registered once. With several cells, the handler of a request is that of the cell of its
 * organization, which the look-up of the key or of the membership has returned.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, isMemberAccess } from '../modules/access/index.ts'
import { findPlaceOf, MAIN_CELL } from '../modules/cells/index.ts'
import type { App } from '../platform/http/app.ts'
import { databaseUnavailable } from '../platform/http/errors.ts'
import type { Database } from '../platform/postgres/db.ts'
import { type CellParts, partsInOrder } from './parts.ts'

type Route = App['declaredRoutes'][number]
type Handlers = ReadonlyMap<string, Route['handler']>

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete', 'options']

/** Must be called before the routes of the main cell are registered, and `app` must be ready afterwards. */
export async function chooseHandlersByCell(
  app: App,
  directory: Database,
  cells: readonly CellParts[],
): Promise<void> {
  if (cells.length === 0) return
  const places = new Map<string, { handlers: Handlers; isUsable: () => boolean }>()
  for (const each of cells) {
    const { cell } = each
    places.set(cell.name, { handlers: await handlersOf(app, each), isUsable: cell.isUsable })
  }
  app.addHook('onRoute', (route) => {
    if (!isOfOrganization(route)) return
    const main = route.handler
    const key = keyOf(String(route.method), route.url)
    for (const [cell, { handlers }] of places) {
      if (!handlers.has(key)) throw new Error(`Cell ${cell} has no handler of ${key}`)
    }
    const handlerOf = (cell: string): Route['handler'] => {
      if (cell === MAIN_CELL) return main
      const place = places.get(cell)
      const handler = place?.handlers.get(key)
      if (!handler) throw new Error(`This process does not know the cell ${cell}; restart it`)
      // Its tables may be older than this version.
      if (place?.isUsable() !== true) throw databaseUnavailable()
      return handler
    }
    route.handler = function (request, reply) {
      const { caller, method } = request
      if (!isOfCell(caller)) return main.call(this, request, reply)
      // Readers read where the organization was.
      const waits = caller.is_moving === true && method !== 'GET'
      if (!waits && reply.elapsedTime < LOOK_UP_MAX_MS) {
        return handlerOf(caller.cell).call(this, request, reply)
      }
      return untilMoved(directory, caller.org_id).then((cell) =>
        handlerOf(cell).call(this, request, reply),
      )
    }
  })
}

const keyOf = (method: string, url: string): string => `${method.toUpperCase()} ${url}`

const isOfOrganization = ({ config }: Route): boolean => {
  const access = config?.access
  return (
    access === 'secret_key' ||
    access === 'public_key' ||
    access === 'any_key' ||
    access === 'portal_link' ||
    isMemberAccess(access)
  )
}

const isOfCell = (caller: Caller | undefined): caller is Extract<Caller, { cell: string }> =>
  caller !== undefined && 'cell' in caller

/** A request that took longer to arrive looks its cell up again. The fence of a move stays for longer than this. */
const LOOK_UP_MAX_MS = 10_000
/** Clients wait longer than this for a response. */
const MOVE_WAIT_MS = 5000
const MOVE_POLL_MS = 100

/** @throws AppError 500 with the time to retry if the move takes longer (OP-162) */
async function untilMoved(directory: Database, orgId: string): Promise<string> {
  const deadline = performance.now() + MOVE_WAIT_MS
  do {
    const place = await findPlaceOf(directory, orgId)
    if (place && !place.is_moving) return place.cell
    await sleep(MOVE_POLL_MS)
  } while (performance.now() < deadline)
  throw databaseUnavailable()
}

/** Records the routes of the parts of a cell. Their hooks, such as that at the end of the server, are added. */
async function handlersOf(app: App, { parts }: CellParts): Promise<Handlers> {
  const handlers = new Map<string, Route['handler']>()
  const record = (method: string) => (url: string, options: unknown, handler?: unknown) => {
    const own = handler ?? (typeof options === 'function' ? options : undefined)
    handlers.set(keyOf(method, url), own as Route['handler'])
  }
  const recorder = new Proxy(app, {
    get: (target, name, receiver): unknown => {
      if (METHODS.includes(String(name))) return record(String(name))
      const value: unknown = Reflect.get(target, name, receiver)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  for (const part of partsInOrder(parts)) await part.routes?.(recorder)
  return handlers
}
