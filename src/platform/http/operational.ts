/** Liveness, readiness and metrics for operators and orchestrators. */
import type { Metrics } from '../metrics.ts'
import { type Db, pingDatabase } from '../postgres/db.ts'
import type { App } from './app.ts'

const PUBLIC = { access: 'public' } as const
const READY_TIMEOUT_MS = 2000

export function operationalRoutes(
  app: App,
  { db, render }: { db: Db; render: Metrics['render'] },
): void {
  app.get('/healthz', { config: PUBLIC }, () => ({ status: 'ok' }))

  app.get('/readyz', { config: PUBLIC }, async (_request, reply) => {
    const isReady = await Promise.race([
      pingDatabase(db).then(
        () => true,
        () => false,
      ),
      new Promise<false>((resolve) => setTimeout(resolve, READY_TIMEOUT_MS, false).unref()),
    ])
    // 503 is allowed outside /v1; load balancers read only the status.
    return await reply
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'database unreachable' })
  })

  app.get('/metrics', { config: PUBLIC }, async (_request, reply) => {
    const { content_type, text } = await render()
    return await reply.type(content_type).send(text)
  })
}
