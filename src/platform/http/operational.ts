/** Liveness, readiness and metrics for operators and orchestrators. */
import type { Metrics } from '../metrics.ts'
import type { ReadinessProbe } from '../postgres/write-probe.ts'
import type { App } from './app.ts'

export type OperationalOptions = {
  readiness: ReadinessProbe
  render: Metrics['render']
  /** Further databases, of which each serves a part of the requests. */
  cells?: readonly { name: string; readiness: ReadinessProbe }[]
}

const PUBLIC = { access: 'public' } as const

export function operationalRoutes(
  app: App,
  { readiness, render, cells = [] }: OperationalOptions,
): void {
  app.get('/healthz', { config: PUBLIC }, () => ({ status: 'ok' }))

  app.get('/readyz', { config: PUBLIC }, async (_request, reply) => {
    const status = await readiness()
    // 503 is allowed outside /v1; load balancers read only the status.
    const states = await Promise.all(
      cells.map(async ({ name, readiness: probe }) => [name, await probe()] as const),
    )
    // One unavailable database of several must not take the requests of the others from this node.
    const body = { status, ...(states.length > 0 && { cells: Object.fromEntries(states) }) }
    return await reply.code(status === 'ready' ? 200 : 503).send(body)
  })

  app.get('/metrics', { config: PUBLIC }, async (_request, reply) => {
    const { content_type, text } = await render()
    return await reply.type(content_type).send(text)
  })
}
