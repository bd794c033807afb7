/** Takes batches and makes jobs of their recipients. */
import type { Clock } from '../../../../platform/clock.ts'
import type { Room } from '../../../../platform/dispatch/index.ts'
import type { NewId } from '../../../../platform/ids.ts'
import type { Database } from '../../../../platform/postgres/db.ts'
import type { CredentialKeeper } from '../../credentials/keeper.ts'
import type { Batch, Channel, Job } from '../job.ts'
import { releaseBatches } from '../settling/settle.ts'
import { createMessageShelf } from './messages.ts'
import {
  type ChannelKey,
  type ClaimedBatch,
  claimBatches,
  listRecipients,
  type Recipient,
} from './store.ts'

export type ClaimOptions = {
  db: Database
  keeper: CredentialKeeper
  newId: NewId
  clock: Clock
  /** Of an attempt. */
  deadline_ms: number
  /** Of one app at one provider, with what this process has of it already. */
  channel_max: number
  /** The same, after a pause. */
  probing_max: number
}

/** Beyond the deadline of the attempt: for waiting until it is made, and for writing what became of it. */
const WAITING_MS = 20_000
const WRITING_MS = 25_000
const CHANNELS_MAX = 256
const FIRST: ChannelKey = {
  application_id: '00000000-0000-0000-0000-000000000000',
  provider: 'apns',
}

/** @returns a function that is called with what this process has already, by group */
export function createClaim(options: ClaimOptions) {
  const { db, keeper, newId, clock, channel_max, probing_max } = options
  const shelf = createMessageShelf(db)
  let after = FIRST

  const takeBatches = async ({ jobs, in_flight }: Room) => {
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

  const makeJobs = async (
    claimed: ClaimedBatch[],
    lease: Pick<Batch, 'lease_id' | 'send_before_ms'>,
  ): Promise<Job[]> => {
    const ids = [...new Set(claimed.map(({ message_id }) => message_id))]
    const [recipients, messages, channels] = await Promise.all([
      listRecipients(db, claimed),
      shelf.get(ids),
      openChannels(keeper, claimed),
    ])
    const batches = claimed.map((row): Batch => {
      const channel = channels.get(groupOf(row))
      if (!channel) throw new Error('a batch was claimed without a credential')
      const { message_id, provider, first_id, was_leased } = row
      const message = messages.get(message_id)
      const key = { message_id, provider, first_id, ...lease }
      return { ...key, channel, message, is_repeated: was_leased, under_way: new Set() }
    })
    const jobs = recipients.flatMap((recipient) => jobOf(batches, recipient))
    const empty = batches.filter(({ under_way }) => under_way.size === 0)
    await releaseBatches(db, empty)
    return jobs
  }

  return async (room: Room): Promise<{ jobs: Job[]; is_more: boolean }> => {
    const send_before_ms = performance.now() + WAITING_MS
    const { lease_id, claimed, is_more } = await takeBatches(room)
    if (claimed.length === 0) return { jobs: [], is_more }
    try {
      return { jobs: await makeJobs(claimed, { lease_id, send_before_ms }), is_more }
    } catch (error) {
      // They are free again when their leases end, if not now.
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
  keeper: CredentialKeeper,
  claimed: readonly ClaimedBatch[],
): Promise<Map<string, Channel>> {
  const channels = new Map<string, Channel>()
  for (const { application_id, provider, version, sealed, ...shown } of claimed) {
    if (sealed === null) continue
    const ref = { application_id, provider, version }
    const group = groupOf(ref)
    const { app_name, is_probing, is_untested } = shown
    const credential = await keeper.open({ ...ref, sealed })
    const known = { credential, app_name, is_probing, is_untested }
    channels.set(group, { ...ref, ...known, group, groups: [group] })
  }
  return channels
}
