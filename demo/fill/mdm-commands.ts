/** Commands in every state they can be in, at the end of the story. */
import { sql } from 'kysely'
import type { Filling } from './context.ts'
import { type Fleet, remove, until, withFate } from './mdm-fleet.ts'

type Status = 'queued' | 'sent' | 'acknowledged' | 'failed' | 'expired' | 'cancelled'
type Given = { id: string }

const HOUR_MS = 3_600_000
const EXPIRED_HOURS = 70
const DRAIN_MS = 1000
/** As phones do: an answer that came before the provider's own would not be understood. */
const REACTION_MS = 700
const GROUP_REBOOTED = 'Hamburg'
const PACKAGE = 'example.northwind.stock'

export async function giveCommands(filling: Filling, fleet: Fleet): Promise<void> {
  const { clock, outside, story } = filling
  const { control } = outside.android
  for (const { phone_id } of fleet.phones.values())
    control.changePhone(phone_id, { reaction_ms: REACTION_MS })
  const give = async (device_id: string, body: object): Promise<Given> =>
    await fleet.ask<Given>('POST', `/v1/mdm/devices/${device_id}/commands`, body)
  const [silent] = withFate(fleet, 'silent')
  if (silent) {
    clock.standAt(story.span.end - EXPIRED_HOURS * HOUR_MS)
    await became(filling, await give(silent.device_id, { type: 'LOCK' }), 'expired')
  }
  clock.follow()
  const [first, second, ...others] = withFate(fleet, 'well')
  const last = others.at(-1)
  await Promise.all([
    silent &&
      give(silent.device_id, { type: 'REBOOT' }).then((given) => became(filling, given, 'sent')),
    first &&
      give(first.device_id, { type: 'LOCK' }).then((given) =>
        became(filling, given, 'acknowledged'),
      ),
    second &&
      give(second.device_id, { type: 'REBOOT' }).then((given) =>
        became(filling, given, 'acknowledged'),
      ),
    refuse(filling, fleet, give),
    leave(filling, fleet, give),
  ])
  const group = fleet.groups.get(GROUP_REBOOTED)
  if (group !== undefined) {
    await fleet.ask('POST', `/v1/mdm/groups/${group}/commands`, { type: 'REBOOT' })
    await answered(filling)
  }
  if (last) await queue(filling, () => give(last.device_id, { type: 'LOCK' }))
}

type Give = (deviceId: string, body: object) => Promise<Given>

async function refuse(filling: Filling, fleet: Fleet, give: Give): Promise<void> {
  const { control } = filling.outside.android
  for (const { device_id, phone_id } of withFate(fleet, 'refusing')) {
    control.changePhone(phone_id, { is_automatic: false })
    const given = await give(device_id, { type: 'CLEAR_APP_DATA', package_names: [PACKAGE] })
    await became(filling, given, 'sent')
    const [pending] = control.getPhone(phone_id).pending_commands
    if (pending) control.failCommand(phone_id, pending.id, { error_code: 'UNSUPPORTED' })
    await became(filling, given, 'failed')
    control.changePhone(phone_id, { is_automatic: true })
  }
}

/** It hears that it is deleted before it hears of the command. */
async function leave(filling: Filling, fleet: Fleet, give: Give): Promise<void> {
  const { stores, outside } = filling
  const { control } = outside.android
  for (const { device_id, phone_id } of withFate(fleet, 'leaving')) {
    control.changePhone(phone_id, { is_automatic: false })
    const given = await give(device_id, { type: 'LOCK' })
    await became(filling, given, 'sent')
    await remove(fleet, 'leaving')
    await until(async () => {
      const { rows } = await sql`select from mdm_dispatches
        where kind = 'delete_device' and subject_id = ${device_id}`.execute(stores.db)
      return rows.length === 0 ? true : undefined
    })
    control.changePhone(phone_id, { is_automatic: true })
    await became(filling, given, 'cancelled')
  }
}

/** Nothing is sent while it is given, and nothing of it for some hours. */
async function queue({ services, stores }: Filling, give: () => Promise<Given>): Promise<void> {
  const [dispatcher] = services.device_management.running
  await dispatcher?.stop(DRAIN_MS)
  const { id } = await give()
  await sql`update mdm_dispatches set due_at = now() + interval '5 hours'
    where kind = 'issue_command' and subject_id = ${id}`.execute(stores.db)
  dispatcher?.start()
}

/** By all of the group. */
async function answered({ stores, people }: Filling): Promise<void> {
  await until(async () => {
    const { rows } = await sql<{ left: number }>`
      select count(*) as left from mdm_commands
      where org_id = ${people.org_id} and group_command_id is not null and completed_at is null`.execute(
      stores.db,
    )
    return rows[0]?.left === 0 ? true : undefined
  })
}

async function became({ stores, people }: Filling, { id }: Given, status: Status): Promise<void> {
  await until(async () => {
    const { rows } = await sql<{ status: string }>`
      select status from mdm_commands where org_id = ${people.org_id} and id = ${id}`.execute(
      stores.db,
    )
    return rows[0]?.status === status ? true : undefined
  })
}
