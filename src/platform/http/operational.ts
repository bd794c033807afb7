/** Liveness, readiness and metrics for operators and orchestrators. */
import type { Metrics } from '../metrics.ts'
import type { ReadinessProbe } from '../postgres/write-probe.ts'
import type { App } from './app.ts'

const PUBLIC = { access: 'public' } as const

export function operationalRoutes(
  app: App,
  { readiness, render }: { readiness: ReadinessProbe; render: Metrics['render'] },
): void {
  app.get('/healthz', { config: PUBLIC }, () => ({ status: 'ok' }))

  app.get('/readyz', { config: PUBLIC }, async (_request, reply) => {
    const status = await readiness()
    // 503 is allowed outside /v1; load balancers read only the status.
    return await reply.code(status === 'ready' ? 200 : 503).send({ status })
  })

  app.get('/metrics', { config: PUBLIC }, async (_request, reply) => {
    const { content_type, text } = await render()
    return await reply.type(content_type).send(text)
  })
}
