/** Commands in every state that a command can be in, at the end of the story. */
import { sql } from 'kysely'
import { HOUR_MS } from '../../world/time.ts'
import type { FillContext } from './context.ts'
import { deleteDevices, type Fleet, withFate } from './mdm-fleet.ts'
import { waitFor } from './wait.ts'

type Status = 'queued' | 'sent' | 'acknowledged' | 'failed' | 'expired' | 'cancelled'

/** Issues a command to a device, waits for its status and returns its id. */
type Issue = (deviceId: string, body: object, status: Status) => Promise<string>

const EXPIRED_HOURS = 70
const DRAIN_MS = 1000
/** Phones answer later than the provider: an earlier answer would not be understood. */
const REACTION_MS = 700
const GROUP_TO_REBOOT = 'Hamburg'
const PACKAGE = 'example.northwind.stock'

export async function issueCommands(context: FillContext, fleet: Fleet): Promise<void> {
  const { clock, emulators, story, stores, people } = context
  for (const { phone_id } of fleet.phones.values()) {
    emulators.android.control.changePhone(phone_id, { reaction_ms: REACTION_MS })
  }
  const issue: Issue = async (deviceId, body, status) => {
    const path = `/v1/mdm/devices/${deviceId}/commands`
    const { id } = await fleet.api<{ id: string }>('POST', path, body)
    await reached(context, id, status)
    return id
  }
  const [silent] = withFate(fleet, 'silent')
  if (silent) {
    clock.freezeAt(story.span.end - EXPIRED_HOURS * HOUR_MS)
    await issue(silent.device_id, { type: 'LOCK' }, 'expired')
  }
  clock.follow()
  const [first, second, ...others] = withFate(fleet, 'well')
  await Promise.all([
    silent && issue(silent.device_id, { type: 'REBOOT' }, 'sent'),
    first && issue(first.device_id, { type: 'LOCK' }, 'acknowledged'),
    second && issue(second.device_id, { type: 'REBOOT' }, 'acknowledged'),
    issueToRefusing(context, fleet, issue),
    issueToLeaving(context, fleet, issue),
  ])
  const group = fleet.groups.get(GROUP_TO_REBOOT)
  if (group !== undefined) {
    await fleet.api('POST', `/v1/mdm/groups/${group}/commands`, { type: 'REBOOT' })
    await waitFor('the commands of a group', async () => {
      const { rows } = await sql`
        select from mdm_commands where org_id = ${people.org_id}
          and group_command_id is not null and completed_at is null`.execute(stores.db)
      return rows.length === 0
    })
  }
  const last = others.at(-1)
  if (last) await queue(context, () => issue(last.device_id, { type: 'LOCK' }, 'queued'))
}

async function issueToRefusing(context: FillContext, fleet: Fleet, issue: Issue): Promise<void> {
  const { control } = context.emulators.android
  for (const { device_id, phone_id } of withFate(fleet, 'refusing')) {
    control.changePhone(phone_id, { is_automatic: false })
    const id = await issue(device_id, { type: 'CLEAR_APP_DATA', package_names: [PACKAGE] }, 'sent')
    const [pending] = control.getPhone(phone_id).pending_commands
    if (pending) control.failCommand(phone_id, pending.id, { error_code: 'UNSUPPORTED' })
    await reached(context, id, 'failed')
    control.changePhone(phone_id, { is_automatic: true })
  }
}

/** The device learns of its deletion before it learns of the command. */
async function issueToLeaving(context: FillContext, fleet: Fleet, issue: Issue): Promise<void> {
  const { stores, emulators } = context
  const { control } = emulators.android
  for (const { device_id, phone_id } of withFate(fleet, 'leaving')) {
    control.changePhone(phone_id, { is_automatic: false })
    const id = await issue(device_id, { type: 'LOCK' }, 'sent')
    await deleteDevices(fleet, 'leaving')
    await waitFor('the deletion of a device', async () => {
      const { rows } = await sql`select from mdm_dispatches
        where kind = 'delete_device' and subject_id = ${device_id}`.execute(stores.db)
      return rows.length === 0
    })
    control.changePhone(phone_id, { is_automatic: true })
    await reached(context, id, 'cancelled')
  }
}

/** The dispatcher is stopped while the command is issued, and the command is due some hours later. */
async function queue(
  { services, stores }: FillContext,
  issue: () => Promise<string>,
): Promise<void> {
  const [dispatcher] = services.device_management.running
  await dispatcher?.stop(DRAIN_MS)
  const id = await issue()
  await sql`update mdm_dispatches set due_at = now() + interval '5 hours'
    where kind = 'issue_command' and subject_id = ${id}`.execute(stores.db)
  dispatcher?.start()
}

async function reached({ stores, people }: FillContext, id: string, status: Status): Promise<void> {
  await waitFor(`a command to be ${status}`, async () => {
    const { rows } = await sql`
      select from mdm_commands
      where org_id = ${people.org_id} and id = ${id} and status = ${status}`.execute(stores.db)
    return rows.length > 0
  })
}
