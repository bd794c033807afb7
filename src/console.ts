/** The wiring of the operator's console: its API and its pages. A part of the diagram in app.ts. */
import { join } from 'node:path'
import type { Services } from './app.ts'
import type { Config } from './config.ts'
import { consoleRoutes } from './console-api/routes.ts'
import type { RateClass } from './platform/http/access.ts'
import type { App } from './platform/http/app.ts'
import { servePages } from './platform/http/pages.ts'
import type { RateLimits } from './platform/http/rate-limit.ts'
import { packageRoot } from './platform/package-root.ts'
import type { Stores } from './stores.ts'

export type ConsoleWiring = {
  stores: Stores
  services: Services
  config: Config
  limits: RateLimits<RateClass>
  /** Folder of the built console; that of the package when left out. */
  pages?: string | undefined
}

export async function consoleSide(app: App, wiring: ConsoleWiring): Promise<void> {
  const { services, limits, pages = join(packageRoot(), 'build', 'console') } = wiring
  const { accounts, keys, billing, reviews, webhook_operations } = services
  consoleRoutes(app, { accounts, keys, billing, reviews, webhook_operations, limits })
  await servePages(app, { prefix: '/console', folder: pages })
}
