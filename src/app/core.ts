/** Dependencies that all parts share, each created once per process. */
import type { Config } from '../config.ts'
import { createDirectoryWriters, type DirectoryWriters } from '../modules/directory/index.ts'
import { installationSecret } from '../platform/crypto/installation-secrets.ts'
import { createKeyedHash, type KeyedHash } from '../platform/crypto/keyed-hash.ts'
import { createValidators, type Validators } from '../platform/http/validation.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import type { HandOver } from '../platform/net/hand-over.ts'
import { createReadinessProbe, type ReadinessProbe } from '../platform/postgres/write-probe.ts'
import type { Siblings } from '../platform/processes/index.ts'
import { createStateId, type StateId } from '../platform/states/index.ts'
import { openTracing, readHeaders, type Tracing } from '../platform/tracing/index.ts'
import type { Outside } from './outside.ts'
import type { Stores } from './stores.ts'
import { VERSION } from './version.ts'

export type Core = Stores & {
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

/** Selects the named settings, so that a dependency list shows the settings in use. */
export function pick<T, K extends keyof T>(settings: T, ...names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as Pick<T, K>
}
