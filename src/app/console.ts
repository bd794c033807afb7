/** The console: the readings of its home page, and the files that browsers load. */
import { join } from 'node:path'
import { attentionRoutes, createAttention } from '../modules/attention/index.ts'
import { MAIN_CELL } from '../modules/cells/index.ts'
import { servePages } from '../platform/http/pages.ts'
import { packageRoot } from '../platform/package-root.ts'
import type { AccountsPart } from './accounts.ts'
import type { Core } from './core.ts'
import type { Part } from './part.ts'

export function createConsolePart(core: Core, { billing, volumes }: AccountsPart): Part {
  const { directory, db, clock, config, outside } = core
  return {
    routes: async (app) => {
      const { credits_required } = config
      const attention = createAttention({
        directory,
        db,
        clock,
        billing,
        volumes,
        credits_required,
      })
      attentionRoutes(app, { attention })
      if (core.cell !== MAIN_CELL) return
      const folder = outside.pages ?? join(packageRoot(), 'build', 'console')
      await servePages(app, { prefix: '/console', folder })
    },
  }
}
