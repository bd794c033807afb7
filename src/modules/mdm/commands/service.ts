/** Creates commands for devices and groups; they are stored first and dispatched after the commit. */
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import { userActor } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import { shareGroup } from '../groups/store.ts'
import {
  type Candidate,
  insertCommands,
  insertGroupCommand,
  type NewCommands,
  shareDevice,
  shareMembers,
} from './creation.store.ts'
import { passwordContext } from './password.ts'
import { type CommandRow, toCommand } from './record.ts'
import { findDeviceFault, findRequestFault, type RequestFault } from './rules.ts'
import type { Command, CommandRequest, GroupCommand } from './schema.ts'
import { markCommandsDue } from './store.ts'

export type CommandOptions = {
  db: Database
  sealer: Pick<Sealer, 'seal'>
  clock: Clock
  newId: NewId
  /** Notifies the dispatcher that something may be due. */
  hint: () => void
  /** Time until a command expires. */
  mdm_command_hours: number
}

export type Requester = { org_id: string; user_id: string }

/** Methods return undefined for devices and groups that the organization does not have. */
export type Commands = {
  /** @throws AppError 400 naming the field that is wrong, or that the device does not support */
  create(by: Requester, deviceId: string, request: CommandRequest): Promise<Command | undefined>
  /** @throws AppError 400 when no device of the group supports the command */
  createForGroup(
    by: Requester,
    groupId: string,
    request: CommandRequest,
  ): Promise<GroupCommand | undefined>
}

/** Queued commands per device; far more than anyone sends to a device while it is offline. */
const QUEUED_MAX = 100
/** Commands per statement, which keeps the statements for a large group short. */
const CHUNK = 5000

export function createCommands(options: CommandOptions): Commands {
  return {
    create: async (by, deviceId, request) => {
      throwIfFaulty(findRequestFault(request))
      return isUuid(deviceId) ? await createOne(options, by, { deviceId, request }) : undefined
    },
    createForGroup: async (by, groupId, request) => {
      throwIfFaulty(findRequestFault(request))
      return isUuid(groupId) ? await createMany(options, by, { groupId, request }) : undefined
    },
  }
}

async function createOne(
  options: CommandOptions,
  by: Requester,
  { deviceId, request }: { deviceId: string; request: CommandRequest },
): Promise<Command | undefined> {
  const { db, clock, newId, hint } = options
  const now = clock.now()
  const id = newId(now)
  const common = await newCommands(options, { by, request, now, id, group_command_id: null })
  const command = await inTransaction(db, async (tx) => {
    const device = await shareDevice(tx, by.org_id, deviceId)
    if (!device) return undefined
    throwIfFaulty(findCandidateFault(device, request))
    const ids = [{ id, entry_id: newId(now), device_id: device.id }]
    await insertCommands(tx, common, { ids, actor: userActor(by.user_id) })
    return toCommand({ ...UNSENT, ...common, id, device_id: device.id })
  })
  if (!command) return undefined
  // Earlier commands that wait for a retry hold this one up, so they are retried now. Without that,
  // the command is merely sent later.
  const { device_id } = command
  await markCommandsDue(db, [{ org_id: by.org_id, device_id }]).catch(() => undefined)
  hint()
  return command
}

/** Retries, because concurrent transactions lock the same devices. */
const inTransaction = <T>(db: Database, work: (tx: Db) => Promise<T>): Promise<T> =>
  retryConflicts(() => db.transaction().execute(work))

const UNSENT = {
  status: 'queued',
  error: null,
  operation_name: null,
  unsure_since: null,
  check_due_at: null,
  sent_at: null,
  completed_at: null,
} satisfies Partial<CommandRow>

async function createMany(
  options: CommandOptions,
  by: Requester,
  { groupId, request }: { groupId: string; request: CommandRequest },
): Promise<GroupCommand | undefined> {
  const { db, clock, newId, hint } = options
  const now = clock.now()
  const id = newId(now)
  const common = await newCommands(options, { by, request, now, id, group_command_id: id })
  const command = await inTransaction(db, async (tx) => {
    if (!(await shareGroup(tx, by.org_id, groupId))) return undefined
    const members = await shareMembers(tx, by.org_id, groupId)
    const eligible = members.filter((device) => !findCandidateFault(device, request))
    if (eligible.length === 0) throw noEligibleDevice(members, request)
    const total = eligible.length
    const skipped = members.length - total
    const { type } = request
    const row = { org_id: by.org_id, id, group_id: groupId, type, total, skipped }
    await insertGroupCommand(tx, { ...row, created_by: by.user_id, created_at: now })
    const actor = userActor(by.user_id)
    for (let start = 0; start < eligible.length; start += CHUNK) {
      const ids = eligible.slice(start, start + CHUNK).map((device) => {
        return { id: newId(now), entry_id: newId(now), device_id: device.id }
      })
      await insertCommands(tx, common, { ids, actor })
    }
    await writeAudit(tx, newId, now, {
      org_id: by.org_id,
      action: 'group.command_created',
      actor,
      target: { type: 'group', id: groupId },
      after: { group_command_id: id, type, total, skipped },
    })
    return { id, group_id: groupId, type, total, skipped, ...progressAtStart(total, now) }
  })
  if (command) hint()
  return command
}

const progressAtStart = (queued: number, now: Date) => ({
  queued,
  sent: 0,
  acknowledged: 0,
  failed: 0,
  expired: 0,
  cancelled: 0,
  created_at: now.toISOString(),
})

type CreationContext = {
  by: Requester
  request: CommandRequest
  now: Date
  id: string
  group_command_id: string | null
}

async function newCommands(
  { sealer, mdm_command_hours }: CommandOptions,
  { by, request, now, id, group_command_id }: CreationContext,
): Promise<NewCommands> {
  const { type, package_names, new_password } = request
  return {
    org_id: by.org_id,
    group_command_id,
    type,
    parameters: package_names === undefined ? {} : { package_names: [...new Set(package_names)] },
    new_password:
      new_password === undefined
        ? null
        : await sealer.seal(new_password, passwordContext({ id, group_command_id })),
    created_by: by.user_id,
    created_at: now,
    expires_at: new Date(now.getTime() + mdm_command_hours * HOUR_MS),
  }
}

function findCandidateFault(device: Candidate, { type }: CommandRequest): RequestFault | undefined {
  const fault = findDeviceFault(device, type)
  if (fault || device.queued < QUEUED_MAX) return fault
  const message = `device_id belongs to a device that already has ${QUEUED_MAX} queued commands`
  return { field: 'device_id', message }
}

function noEligibleDevice(members: readonly Candidate[], request: CommandRequest) {
  const [first] = members
  if (!first) return invalidRequest('type', 'The group has no devices')
  const reason = findCandidateFault(first, request)?.message
  const message = `No device of the group supports the command. The first one: ${reason}`
  return invalidRequest('type', message)
}

/** @throws AppError 400 */
function throwIfFaulty(fault: RequestFault | undefined): void {
  if (fault) throw invalidRequest(fault.field, fault.message)
}
