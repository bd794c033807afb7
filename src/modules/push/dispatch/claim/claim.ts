/** Claims batches and turns their recipients into jobs. */
import type { Clock } from '../../../../platform/clock.ts'
import type { Room } from '../../../../platform/dispatch/index.ts'
import type { NewId } from '../../../../platform/ids.ts'
import type { Database } from '../../../../platform/postgres/db.ts'
import type { CredentialCache } from '../../credentials/credential-cache.ts'
import type { Batch, Channel, Job } from '../job.ts'
import { releaseBatches } from '../settling/settle.ts'
import { createMessageCache } from './message-cache.ts'
import {
  type ChannelKey,
  type ClaimedBatch,
  claimBatches,
  listRecipients,
  type Recipient,
} from './store.ts'

export type ClaimOptions = {
  db: Database
  credentialCache: CredentialCache
  newId: NewId
  clock: Clock
  /** Deadline of an attempt. */
  deadline_ms: number
  /** Limit per app and provider, including the jobs that this process already has. */
  channel_max: number
  /** The same limit after a pause, until something is accepted. */
  probing_max: number
}

/** Lease time beyond the deadline of an attempt: for waiting to be sent, and for writing the outcome. */
const WAITING_MS = 20_000
const WRITING_MS = 25_000
const CHANNELS_MAX = 256
const FIRST: ChannelKey = {
  application_id: '00000000-0000-0000-0000-000000000000',
  provider: 'apns',
}

/** @returns a function that claims jobs, given the number that this process already has per group */
export function createClaim(options: ClaimOptions) {
  const { db, credentialCache, newId, clock, channel_max, probing_max } = options
  const messageCache = createMessageCache(db)
  let after = FIRST

  const leaseBatches = async ({ jobs, in_flight }: Room) => {
    const lease_id = newId(clock.now())
    const { batches, stopped_at } = await claimBatches(db, {
      lease_id,
      lease_ms: options.deadline_ms + WAITING_MS + WRITING_MS,
      recipients_max: jobs,
      channel_max,
      probing_max,
      in_flight: [...in_flight].map(([group, count]) => ({ ...channelKeyOf(group), jobs: count })),
      channels_max: CHANNELS_MAX,
      after,
    })
    after = stopped_at ?? FIRST
    return { lease_id, claimed: batches, is_more: stopped_at !== undefined || batches.length > 0 }
  }

  const createJobs = async (
    claimed: ClaimedBatch[],
    lease: Pick<Batch, 'lease_id' | 'send_before_ms'>,
  ): Promise<Job[]> => {
    const ids = [...new Set(claimed.map(({ message_id }) => message_id))]
    const [recipients, messages, channels] = await Promise.all([
      listRecipients(db, claimed),
      messageCache.get(ids),
      openChannels(credentialCache, claimed),
    ])
    const batches = claimed.map((row): Batch => {
      const channel = channels.get(groupOf(row))
      if (!channel) throw new Error(`batch ${row.first_id} was claimed without a credential`)
      const { org_id, message_id, provider, first_id, was_leased } = row
      const message = messages.get(message_id)
      const key = { org_id, message_id, provider, first_id, ...lease }
      return { ...key, channel, message, is_repeated: was_leased, under_way: new Set() }
    })
    const jobs = recipients.flatMap((recipient) => jobOf(batches, recipient))
    const empty = batches.filter(({ under_way }) => under_way.size === 0)
    await releaseBatches(db, empty)
    return jobs
  }

  return async (room: Room): Promise<{ jobs: Job[]; is_more: boolean }> => {
    const send_before_ms = performance.now() + WAITING_MS
    const { lease_id, claimed, is_more } = await leaseBatches(room)
    if (claimed.length === 0) return { jobs: [], is_more }
    try {
      return { jobs: await createJobs(claimed, { lease_id, send_before_ms }), is_more }
    } catch (error) {
      // If releasing them fails as well, they become free when their leases expire.
      const leased = claimed.map((key) => ({ ...key, lease_id }))
      await releaseBatches(db, leased).catch(() => undefined)
      throw error
    }
  }
}

function jobOf(batches: readonly Batch[], { batch: index, ...recipient }: Recipient): Job[] {
  const batch = batches[index]
  if (!batch) return []
  batch.under_way.add(recipient.subscription_id)
  return [{ batch, ...recipient }]
}

export const groupOf = ({ application_id, provider }: ChannelKey): string =>
  `${provider}:${application_id}`

function channelKeyOf(group: string): ChannelKey {
  const at = group.indexOf(':')
  return {
    provider: group.slice(0, at) === 'apns' ? 'apns' : 'fcm',
    application_id: group.slice(at + 1),
  }
}

async function openChannels(
  credentialCache: CredentialCache,
  claimed: readonly ClaimedBatch[],
): Promise<Map<string, Channel>> {
  const channels = new Map<string, Channel>()
  for (const { application_id, provider, version, sealed, ...shown } of claimed) {
    if (sealed === null) continue
    const ref = { application_id, provider, version }
    const group = groupOf(ref)
    const { app_name, is_probing, is_untested } = shown
    const credential = await credentialCache.open({ ...ref, sealed })
    const state = { credential, app_name, is_probing, is_untested }
    channels.set(group, { ...ref, ...state, group, groups: [group] })
  }
  return channels
}
