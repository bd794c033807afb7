/** Channels of an organization, and tests of them. Their secrets are sealed and never shown again. */
import type { Clock } from '../../platform/clock.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { insertAudit } from '../audit/index.ts'
import { readChannelTarget, type TargetDependencies } from './channel-target.ts'
import {
  type ChannelRow,
  deleteChannel,
  findChannel,
  insertChannel,
  listChannels,
  updateChannel,
} from './channels.store.ts'
import { settlementOf } from './dispatch.ts'
import { settleMessages } from './queue.store.ts'
import type { Channel, ChannelChange, ChannelWithSecret, NewChannel, TestResult } from './schema.ts'
import { type SendingDependencies, sendMessage } from './sending/send.ts'
import { insertTestMessage } from './test-message.store.ts'

export type Actor = { org_id: string; user_id: string }

export type Channels = {
  /** Ordered by name. */
  list(orgId: string): Promise<Channel[]>
  /** @throws AppError 400 naming the member that is missing or invalid */
  create(actor: Actor, channel: NewChannel): Promise<ChannelWithSecret>
  /** @throws AppError as `create` */
  change(actor: Actor, id: string, change: ChannelChange): Promise<ChannelWithSecret | undefined>
  remove(actor: Actor, id: string): Promise<boolean>
  /** Sends a message now and returns the answer of the provider. */
  test(actor: Actor, id: string): Promise<TestResult | undefined>
}

export type ChannelDependencies = SendingDependencies &
  Omit<TargetDependencies, 'sealer'> & {
    sealer: TargetDependencies['sealer'] & SendingDependencies['sealer']
    db: Database
    clock: Clock
    newId: NewId
    audit: typeof insertAudit
  }

const CHANNELS_MAX = 50
const PER_HOUR_DEFAULT = 60

export function createChannels(deps: ChannelDependencies): Channels {
  const { db, clock, newId, audit } = deps
  const entry = (user_id: string, action: string, target: string, details: object = {}) => {
    const at = clock.now()
    return { id: newId(at), at, actor_user_id: user_id, action, target, details: { ...details } }
  }
  return {
    list: async (orgId) => (await listChannels(db, orgId)).map(shownChannel),
    create: async ({ org_id, user_id }, request) => {
      const { kind, name, per_hour_max = PER_HOUR_DEFAULT, ...target } = request
      const now = clock.now()
      const id = newId(now)
      const { secret, ...leads } = await readChannelTarget(deps, { org_id, id, kind }, target)
      const unknown = { verified_at: null, failing_since: null, last_error: null }
      const row = {
        org_id,
        id,
        user_id: null,
        browser_of: null,
        kind,
        name,
        per_hour_max,
        ...leads,
        ...unknown,
      }
      return await db.transaction().execute(async (tx) => {
        const times = { created_at: now, updated_at: now }
        const created = await insertChannel(tx, { ...row, ...times }, CHANNELS_MAX)
        if (!created) throw invalidRequest('org_id', TOO_MANY)
        await audit(tx, org_id, entry(user_id, 'notification_channel.created', name, { kind }))
        return { ...shownChannel(created), ...(secret !== undefined && { secret }) }
      })
    },
    change: async ({ org_id, user_id }, id, change) => {
      const before = isUuid(id) ? await findChannel(db, org_id, id) : undefined
      if (!before) return undefined
      const { name = before.name, per_hour_max = before.per_hour_max, ...target } = change
      const is_new_target = Object.values(target).some((value) => value !== undefined)
      const { kind, config, sealed } = before
      const { secret, ...leads } = is_new_target
        ? await readChannelTarget(deps, { org_id, id, kind }, target)
        : { config, sealed, secret: undefined }
      return await db.transaction().execute(async (tx) => {
        const next = { name, per_hour_max, ...leads, is_new_target }
        const row = await updateChannel(tx, { org_id, id }, next, clock.now())
        if (!row) return undefined
        await audit(tx, org_id, entry(user_id, 'notification_channel.changed', name, { kind }))
        return { ...shownChannel(row), ...(secret !== undefined && { secret }) }
      })
    },
    remove: async ({ org_id, user_id }, id) => {
      if (!isUuid(id)) return false
      return await db.transaction().execute(async (tx) => {
        const name = await deleteChannel(tx, org_id, id)
        if (name === undefined) return false
        await audit(tx, org_id, entry(user_id, 'notification_channel.deleted', name))
        return true
      })
    },
    test: async ({ org_id }, id) => {
      const find = async () => (isUuid(id) ? await findChannel(db, org_id, id) : undefined)
      const channel = await find()
      return channel && (await testChannel(deps, channel, find))
    },
  }
}

const TOO_MANY = `org_id already has ${CHANNELS_MAX} channels, the maximum; delete one first`

/** If this process dies in the meantime, the lease expires and the dispatcher sends the same message. */
export async function testChannel(
  deps: SendingDependencies & Pick<ChannelDependencies, 'db' | 'clock' | 'newId'>,
  channel: ChannelRow,
  find: () => Promise<ChannelRow | undefined>,
): Promise<TestResult> {
  const { db, clock, newId } = deps
  const now = clock.now()
  const id = newId(now)
  const message = await insertTestMessage(db, channel, {
    id,
    lease_id: newId(now),
    item: {
      notification_id: id,
      subject: 'test',
      severity: 'notice',
      step: 'test',
      title: `Test of the ${channel.kind === 'browser' ? 'browser' : 'channel'} "${channel.name}"`,
      detail: 'Notifications of Vigil will look like this. Nothing has happened.',
      link: channel.kind === 'browser' ? '/notifications/mine' : '/notifications/channels',
      at: now.toISOString(),
    },
  })
  const attempt = await sendMessage(deps, message, new AbortController().signal)
  // A test is not repeated: its answer is on the page, and the next test is a click.
  const verdict = attempt.verdict === 'accepted' ? 'accepted' : 'refused'
  await settleMessages(db, [settlementOf(message, { ...attempt, verdict }, 0)])
  const after = (await find()) ?? channel
  const { response_status, response_body, error, latency_ms } = attempt
  const answer = { response_status, response_body, error, latency_ms }
  return { is_accepted: verdict === 'accepted', ...answer, channel: shownChannel(after) }
}

export function shownChannel(row: ChannelRow): Channel {
  const { org_id: _org, user_id: _user, browser_of: _browser, sealed: _sealed, ...shown } = row
  return {
    ...shown,
    verified_at: row.verified_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
