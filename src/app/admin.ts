/**
 * The port for operators: health, readiness and metrics of a process of any role, and nothing else. A
 * process with the role `worker` has no other port.
 */
import { type Config, hostNames } from '../config.ts'
import { operationalRoutes } from '../platform/http/operational.ts'
import { createServer } from '../platform/http/server.ts'
import { createValidators } from '../platform/http/validation.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { ReadinessProbe } from '../platform/postgres/write-probe.ts'
import type { Cell } from './cells.ts'
import { pick } from './core.ts'

export type Admin = { url: string; close(): Promise<void> }

export type AdminOptions = {
  config: Config
  role: 'all' | 'api' | 'worker'
  log: Log
  readiness: ReadinessProbe
  render: Metrics['render']
  cells?: readonly Cell[]
}

/**
 * A worker that took the port of the API would keep it from an API process that starts later, so the default
 * is a port that no API process of a usual installation has.
 */
const DEFAULT_DISTANCE = 1000
const PORT_MAX = 65_535

/** 0 stays 0, for which the system picks a free port. */
const defaultPort = (port: number): number =>
  port === 0 || port + DEFAULT_DISTANCE > PORT_MAX ? 0 : port + DEFAULT_DISTANCE

/**
 * @returns undefined if the role needs no second port, or if another process has the default one
 * @throws the system error when the port of the setting cannot be opened
 */
export async function openAdmin(options: AdminOptions): Promise<Admin | undefined> {
  const { config, role, log } = options
  const { admin_port, host } = config
  if (admin_port === 'auto' && role !== 'worker') return undefined
  const port = admin_port === 'auto' ? defaultPort(config.port) : admin_port
  const app = createAdminServer(options)
  operationalRoutes(app, options)
  try {
    const url = await app.listen({ host, port })
    return { url, close: async () => await app.close() }
  } catch (error) {
    await app.close()
    if (admin_port !== 'auto') throw error
    // Often the port of another worker on the same machine.
    log.warn({ host, port, err: error }, 'no admin port: set VIGIL_ADMIN_PORT to have /metrics')
    return undefined
  }
}

const createAdminServer = ({ config, log }: AdminOptions) =>
  createServer({
    log,
    // The metrics of the service do not include requests for them.
    metrics: { observeRequest: () => undefined },
    validators: createValidators(),
    guard: () => undefined,
    trusted_proxies: [],
    host_names: hostNames(config),
    senderOf: () => undefined,
    body_default_bytes: 1,
    ...pick(config, 'body_max_bytes', 'json_max_depth'),
  })
