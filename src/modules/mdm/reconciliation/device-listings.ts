/**
 * Lists all devices at the provider from time to time, which makes up for lost notifications and reveals
 * phones that their users have reset. An incomplete listing proves nothing, so it deletes no device.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { waitFor } from '../../../platform/wait.ts'
import type { DeviceWriter, WriterInput } from '../devices/device-writer.ts'
import type { AndroidManagement, ProviderFault, WireDevice } from '../providers/port.ts'
import { findMissingDevices, MASS_MIN } from './missing-devices.ts'
import { claimListing, endListing, extendListing, type ListingLease } from './store.ts'

export type DeviceListingsOptions = {
  db: Database
  provider: Pick<AndroidManagement, 'listDevices'>
  writer: DeviceWriter
  clock: Clock
  newId: NewId
  log: Log
  mdm_reconcile_minutes: number
  /** Wakes the dispatcher. */
  hint?: () => void
  /** Ends early when the signal fires. Defaults to the timers of the system. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

export type Listed = {
  /** Number of enterprises whose listing was complete. */
  enterprises: number
  devices: number
  /** Number of devices that a complete listing did not contain. */
  missing: number
}

/** Longer than a page takes, including the longest wait before it. */
const LEASE_SECONDS = 900
const WAIT_MAX_SECONDS = 300
const WAITS_MAX = 100
/** Enough for a million devices. */
const PAGES_MAX = 10_000
const RETRY_SECONDS = 300
const BATCH = 200

/**
 * Lists the devices of all enterprises that are due, one after another. Any number of processes can run
 * the job at the same time.
 */
export function createDeviceListings(options: DeviceListingsOptions) {
  const { db, clock, newId, log } = options
  return async (_now: Date, signal: AbortSignal): Promise<Listed> => {
    const sum: Listed = { enterprises: 0, devices: 0, missing: 0 }
    while (!signal.aborted) {
      const lease = await claimListing(db, newId(clock.now()), LEASE_SECONDS)
      if (!lease) break
      const { mass_missing_since } = lease
      let end = { next_in_seconds: RETRY_SECONDS, mass_missing_since }
      try {
        const listing = await readAll(options, lease, signal)
        if (listing.kind === 'complete') {
          const ended = await endMissing(options, lease, listing.names)
          end = { next_in_seconds: options.mdm_reconcile_minutes * 60, ...ended.next }
          sum.enterprises += 1
          sum.devices += listing.names.size
          sum.missing += ended.missing
        } else if (listing.kind === 'failed') {
          const { reason } = listing
          log.warn({ org_id: lease.org_id, reason }, 'a listing of devices is incomplete; retrying')
        } else {
          end.next_in_seconds = 0
        }
      } catch (error) {
        log.error({ err: error, org_id: lease.org_id }, 'a listing of devices failed; retrying')
      }
      await endListing(db, lease, end)
    }
    return sum
  }
}

type Listing =
  | { kind: 'complete'; names: Set<string> }
  | { kind: 'failed'; reason: string }
  | { kind: 'stopped' }

async function readAll(
  options: DeviceListingsOptions,
  lease: ListingLease,
  signal: AbortSignal,
): Promise<Listing> {
  const { provider, wait = waitFor } = options
  const names = new Set<string>()
  let pageToken: string | undefined
  let pages = 0
  let waits = 0
  while (pages < PAGES_MAX && waits < WAITS_MAX) {
    if (signal.aborted) return { kind: 'stopped' }
    if (!(await extendListing(options.db, lease, LEASE_SECONDS))) return { kind: 'stopped' }
    const answer = await provider.listDevices(lease.name, pageToken)
    if (!answer.ok && answer.fault.kind === 'rate_limited') {
      waits += 1
      await wait(waitOf(answer.fault), signal)
      continue
    }
    if (!answer.ok) return { kind: 'failed', reason: answer.fault.message }
    pages += 1
    waits = 0
    const { devices, nextPageToken } = answer.value
    for (const { name } of devices) {
      if (typeof name !== 'string') return { kind: 'failed', reason: 'A device has no name.' }
      names.add(name)
    }
    await applyPage(options, devices)
    if (nextPageToken === undefined || nextPageToken === '') return { kind: 'complete', names }
    if (nextPageToken === pageToken) return { kind: 'failed', reason: 'The pages do not end.' }
    pageToken = nextPageToken
  }
  return { kind: 'failed', reason: 'The listing has too many pages, or takes too long.' }
}

async function applyPage(
  { db, writer, clock, hint }: DeviceListingsOptions,
  devices: readonly WireDevice[],
): Promise<void> {
  if (devices.length === 0) return
  const inputs = devices.map((device): WriterInput => {
    return { kind: 'report', source: 'listing', device }
  })
  const now = clock.now()
  const { dispatches } = await db.transaction().execute((tx) => writer.apply(tx, now, inputs))
  if (dispatches > 0) hint?.()
}

/** @returns the number of missing devices, and the state for the next listing */
async function endMissing(
  { db, writer, clock, log }: DeviceListingsOptions,
  lease: ListingLease,
  names: ReadonlySet<string>,
): Promise<{ missing: number; next: Pick<ListingLease, 'mass_missing_since'> }> {
  const now = clock.now()
  const found = await findMissingDevices(db, lease, names, now)
  if (found.is_held_back) {
    log.warn(
      { org_id: lease.org_id, devices: found.total, missing: found.due, least: MASS_MIN },
      'most devices are missing at the provider; they are kept until another listing confirms it',
    )
  }
  for (let start = 0; start < found.devices.length; start += BATCH) {
    const inputs = found.devices.slice(start, start + BATCH).map(({ id, provider_name }) => {
      return { kind: 'missing' as const, org_id: lease.org_id, device_id: id, provider_name }
    })
    await db.transaction().execute((tx) => writer.apply(tx, now, inputs))
  }
  const mass_missing_since = found.is_held_back ? (lease.mass_missing_since ?? now) : null
  return { missing: found.devices.length, next: { mass_missing_since } }
}

const waitOf = ({ retry_after_s = 10 }: ProviderFault): number =>
  Math.min(WAIT_MAX_SECONDS, Math.max(1, retry_after_s)) * 1000
