/** Commands for devices and groups: written down, with all that has to be sent, before anything is. */
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { auditEntry } from '../audit/entry.ts'
import { insertAuditEntries, userActor } from '../audit/store.ts'
import {
  type Candidate,
  insertCommands,
  insertGroupCommand,
  type NewCommands,
  shareDevice,
  shareGroup,
  shareMembers,
} from './creation/store.ts'
import { passwordContext } from './password.ts'
import { type CommandRow, shownCommand } from './record.ts'
import { faultOf, type Refusal, unfitnessOf } from './rules.ts'
import type { Command, CommandRequest, GroupCommand } from './schema.ts'
import { hastenCommands } from './store.ts'

export type CommandOptions = {
  db: Database
  sealer: Pick<Sealer, 'seal'>
  clock: Clock
  newId: NewId
  /** Something may be due. */
  hint: () => void
  /** How long a device has to take a command. */
  mdm_command_hours: number
}

export type Commander = { org_id: string; user_id: string }

/** Devices and groups that are not the organisation's do not exist: undefined. */
export type Commands = {
  /** @throws AppError 400 naming what the device cannot take */
  create(by: Commander, deviceId: string, request: CommandRequest): Promise<Command | undefined>
  /** @throws AppError 400 when none of the members can take it */
  createForGroup(
    by: Commander,
    groupId: string,
    request: CommandRequest,
  ): Promise<GroupCommand | undefined>
}

/** Of one device; more than anybody gives while it is away. */
const QUEUED_MAX = 100
/** Of a large group each statement stays short. */
const PORTION = 5000
const HOUR_MS = 3_600_000

export function createCommands(options: CommandOptions): Commands {
  return {
    create: async (by, deviceId, request) => {
      refuse(faultOf(request))
      return isUuid(deviceId) ? await createOne(options, by, { deviceId, request }) : undefined
    },
    createForGroup: async (by, groupId, request) => {
      refuse(faultOf(request))
      return isUuid(groupId) ? await createMany(options, by, { groupId, request }) : undefined
    },
  }
}

async function createOne(
  options: CommandOptions,
  by: Commander,
  { deviceId, request }: { deviceId: string; request: CommandRequest },
): Promise<Command | undefined> {
  const { db, clock, newId, hint } = options
  const now = clock.now()
  const id = newId(now)
  const common = await newCommands(options, { by, request, now, id, group_command_id: null })
  const command = await inTransaction(db, async (tx) => {
    const device = await shareDevice(tx, by.org_id, deviceId)
    if (!device) return undefined
    refuse(refusalOfCandidate(device, request))
    const ids = [{ id, entry_id: newId(now), device_id: device.id }]
    await insertCommands(tx, common, { ids, actor: userActor(by.user_id) })
    return shownCommand({ ...UNSENT, ...common, id, device_id: device.id })
  })
  if (!command) return undefined
  await hasten(db, by.org_id, command.device_id)
  hint()
  return command
}

/** Devices are locked by many at a time. */
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

/** Those before it that wait to be tried again hold it up: they are tried now, if that can be. */
async function hasten(db: Db, orgId: string, deviceId: string): Promise<void> {
  await hastenCommands(db, [{ org_id: orgId, device_id: deviceId }]).catch(() => undefined)
}

async function createMany(
  options: CommandOptions,
  by: Commander,
  { groupId, request }: { groupId: string; request: CommandRequest },
): Promise<GroupCommand | undefined> {
  const { db, clock, newId, hint } = options
  const now = clock.now()
  const id = newId(now)
  const common = await newCommands(options, { by, request, now, id, group_command_id: id })
  const made = await inTransaction(db, async (tx) => {
    if (!(await shareGroup(tx, by.org_id, groupId))) return undefined
    const members = await shareMembers(tx, by.org_id, groupId)
    const fit = members.filter((device) => !refusalOfCandidate(device, request))
    if (fit.length === 0) throw noneOf(members, request)
    const total = fit.length
    const skipped = members.length - total
    const { type } = request
    const row = { org_id: by.org_id, id, group_id: groupId, type, total, skipped }
    await insertGroupCommand(tx, { ...row, created_by: by.user_id, created_at: now })
    const actor = userActor(by.user_id)
    for (let start = 0; start < fit.length; start += PORTION) {
      const ids = fit.slice(start, start + PORTION).map((device) => {
        return { id: newId(now), entry_id: newId(now), device_id: device.id }
      })
      await insertCommands(tx, common, { ids, actor })
    }
    const target = { type: 'group', id: groupId } as const
    const after = { group_command_id: id, type, total, skipped }
    const facts = {
      org_id: by.org_id,
      action: 'group.command_created',
      actor,
      target,
      after,
    } as const
    await insertAuditEntries(tx, [auditEntry(newId, now, facts)])
    return { id, group_id: groupId, type, total, skipped, ...progressAtStart(total, now) }
  })
  if (made) hint()
  return made
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

type Wanted = {
  by: Commander
  request: CommandRequest
  now: Date
  id: string
  group_command_id: string | null
}

async function newCommands(
  { sealer, mdm_command_hours }: CommandOptions,
  { by, request, now, id, group_command_id }: Wanted,
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

function refusalOfCandidate(device: Candidate, { type }: CommandRequest): Refusal | undefined {
  const refusal = unfitnessOf(device, type)
  if (refusal || device.queued < QUEUED_MAX) return refusal
  const message = `device_id is of a device for which ${QUEUED_MAX} commands wait already`
  return { field: 'device_id', message }
}

function noneOf(members: readonly Candidate[], request: CommandRequest) {
  const [first] = members
  if (!first) return invalidRequest('type', 'The group has no devices that could take a command')
  const reason = refusalOfCandidate(first, request)?.message
  return invalidRequest('type', `No device of the group can take it. Of the first: ${reason}`)
}

/** @throws AppError 400 */
function refuse(refusal: Refusal | undefined): void {
  if (refusal) throw invalidRequest(refusal.field, refusal.message)
}
