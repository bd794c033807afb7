/** Dependencies that all parts share, each created once per process. */
import type { Config } from '../config.ts'
import { MAIN_CELL } from '../modules/cells/index.ts'
import { createDirectoryWriters, type DirectoryWriters } from '../modules/directory/index.ts'
import { installationSecret } from '../platform/crypto/installation-secrets.ts'
import { createKeyedHash, type KeyedHash } from '../platform/crypto/keyed-hash.ts'
import { createValidators, type Validators } from '../platform/http/validation.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import type { HandOver } from '../platform/net/hand-over.ts'
import { createReadinessProbe, type ReadinessProbe } from '../platform/postgres/write-probe.ts'
import type { Siblings } from '../platform/processes/index.ts'
import { createStateId, type StateId } from '../platform/states/index.ts'
import { readHeaders } from '../platform/tracing/headers.ts'
import { openTracing, type Tracing } from '../platform/tracing/index.ts'
import type { Cell } from './cells.ts'
import type { NotificationTaker } from './notification-takers.ts'
import type { Outside } from './outside.ts'
import { createReference, type Reference } from './reference.ts'
import type { Stores } from './stores.ts'
import { VERSION } from './version.ts'

export type Core = Stores & {
  /** Name of the cell that `db` is the handle of. */
  cell: string
  /** Writes to the directory from within transactions about the data of organizations. */
  directoryWriters: DirectoryWriters
  config: Config
  outside: Outside
  /** Keyed hash of identities, whose key is an installation secret. */
  hash: KeyedHash
  stateId: StateId
  metrics: Metrics
  validators: Validators
  readiness: ReadinessProbe
  /** Undefined without a collector. */
  tracing: Tracing | undefined
  /** The other processes of the service; undefined if this one does everything. */
  siblings: Connected | undefined
  relay: Siblings['relay']
  /** Data that is loaded when it is first used, once for all cells. */
  reference: () => Reference
  /** By the name of the cell, what applies notifications about the devices of its organizations. */
  notification_takers: Map<string, NotificationTaker>
}

/** Only processes that serve requests hand over work. */
export type Connected = Siblings & { route: HandOver['route'] | undefined }

const SECRET_BYTES = 32

export async function openCore(
  stores: Stores,
  config: Config,
  outside: Outside = {},
  siblings?: Connected,
): Promise<Core> {
  const { directory, sealer } = stores
  const hash = createKeyedHash(
    await installationSecret(directory, sealer, 'identity_hash', SECRET_BYTES),
  )
  return {
    ...stores,
    cell: MAIN_CELL,
    reference: createReference(),
    notification_takers: new Map(),
    directoryWriters: createDirectoryWriters(directory === stores.db),
    config,
    outside,
    hash,
    stateId: createStateId(hash),
    metrics: createMetrics(),
    validators: createValidators(),
    readiness: createReadinessProbe(directory),
    tracing: await tracingOf(stores, config),
    siblings,
    relay: siblings?.relay ?? ((_name, hint) => hint),
  }
}

async function tracingOf({ clock, log }: Stores, config: Config): Promise<Tracing | undefined> {
  const { traces_url: url, traces_headers, traces_percent: percent } = config
  if (url === undefined) return undefined
  return await openTracing({
    url,
    headers: readHeaders(traces_headers),
    percent,
    version: VERSION,
    clock,
    log,
  })
}

/** The core of another cell. Siblings are addressed by cell, because each cell has its own services. */
export function coreOfCell(core: Core, cell: Cell): Core {
  const { siblings } = core
  const route = siblings?.route
  const named = (name: string) => `${cell.name}/${name}`
  return {
    ...core,
    cell: cell.name,
    db: cell.db,
    server: cell.server,
    database_watch: cell.database_watch,
    readiness: cell.readiness,
    directoryWriters: createDirectoryWriters(false),
    siblings: siblings && {
      ...siblings,
      route: route && ((name, run) => route(named(name), run)),
    },
    relay: (name, hint) => core.relay(named(name), hint),
  }
}

/** Selects the items for the main cell only: an installation has them once, however many cells there are. */
export const inMain = <T>({ cell }: Pick<Core, 'cell'>, items: readonly T[]): readonly T[] =>
  cell === MAIN_CELL ? items : []

/** Selects the named settings, so that a dependency list shows the settings in use. */
export function pick<T, K extends keyof T>(settings: T, ...names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as Pick<T, K>
}
