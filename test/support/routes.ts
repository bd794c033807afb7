/** Lists the routes of a server, documented or not. */
import type { App } from '../../src/platform/http/app.ts'

const LEVEL_CHARS = 4
const LINE = /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/

/** @returns routes such as `POST /console/api/push/messages/:id/cancel` */
export function routesOf(app: App): string[] {
  const paths: string[] = []
  const printed = app.printRoutes({ commonPrefix: false, includeHooks: false })
  return printed.split('\n').flatMap((line) => {
    const [, indent, segment, methods] = LINE.exec(line) ?? []
    if (indent === undefined || segment === undefined) return []
    const depth = indent.length / LEVEL_CHARS
    paths.length = depth
    paths[depth] = `${paths[depth - 1] ?? ''}${segment}`
    return (methods?.split(', ') ?? []).map((method) => `${method} ${paths[depth]}`)
  })
}
