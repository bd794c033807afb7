/**
 * Routes are registered once. With several cells, the handler of a request is that of the cell of its
 * organization, which the look-up of the key or of the membership has returned.
 */
import { type Caller, isMemberAccess } from '../modules/access/index.ts'
import { MAIN_CELL } from '../modules/cells/index.ts'
import type { App } from '../platform/http/app.ts'
import { databaseUnavailable } from '../platform/http/errors.ts'
import { type CellParts, partsInOrder } from './parts.ts'

type Route = App['declaredRoutes'][number]
type Handlers = ReadonlyMap<string, Route['handler']>

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete', 'options']

/** Must be called before the routes of the main cell are registered, and `app` must be ready afterwards. */
export async function chooseHandlersByCell(app: App, cells: readonly CellParts[]): Promise<void> {
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
    route.handler = function (request, reply) {
      const cell = cellOf(request.caller)
      if (cell === MAIN_CELL) return main.call(this, request, reply)
      const place = places.get(cell)
      const handler = place?.handlers.get(key)
      if (!handler) throw new Error(`This process does not know the cell ${cell}; restart it`)
      // Its tables may be older than this version.
      if (place?.isUsable() !== true) throw databaseUnavailable()
      return handler.call(this, request, reply)
    }
  })
}

const keyOf = (method: string, url: string): string => `${method.toUpperCase()} ${url}`

const isOfOrganization = ({ config }: Route): boolean => {
  const access = config?.access
  return access === 'secret_key' || access === 'any_key' || isMemberAccess(access)
}

const cellOf = (caller: Caller | undefined): string =>
  caller && 'cell' in caller ? caller.cell : MAIN_CELL

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
