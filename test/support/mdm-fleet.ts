/** An organisation that manages phones, over HTTP. */
import { randomUUID } from 'node:crypto'
import type { EnrolRequest, PhoneView } from '../../emulators/android-management/index.ts'
import type { AuditEntry } from '../../src/modules/mdm/audit/schema.ts'
import type { Command } from '../../src/modules/mdm/commands/schema.ts'
import type { Device, DeviceWithHistory } from '../../src/modules/mdm/devices/schema.ts'
import type { Enterprise, Signup } from '../../src/modules/mdm/enterprise/schema.ts'
import type { Group } from '../../src/modules/mdm/groups/schema.ts'
import type { Policy } from '../../src/modules/mdm/policies/schema.ts'
import type { Token } from '../../src/modules/mdm/tokens/schema.ts'
import { ROLES, type Role } from '../../src/platform/postgres/tables/accounts.ts'
import type { Answer, Harness } from '../harness.ts'
import { eventsOf } from './books.ts'
import type { MdmWorld } from './mdm-world.ts'

export type Ask = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** After `/v1/mdm`. */
  path: string
  query?: Record<string, string>
  body?: unknown
  /** Default: owner. */
  as?: Role
}

export type Refusal = { field: string; retry_after: number }
export type Given = Record<string, unknown>
export type Enrolled = { phone: PhoneView; device: Device }
export type EmittedEvent = { type: string; mode: string; data: Given }

type Asking = {
  ask<C = Refusal>(asked: Ask): Promise<Answer<C>>
  /** The content of what has to succeed. */
  content<C>(asked: Ask): Promise<C>
}
type Making = {
  signUp(displayName?: string): Promise<Enterprise>
  /** Of fully managed devices, unless told otherwise. */
  createPolicy(given?: Given): Promise<Policy>
  createToken(policyId: string, given?: Given): Promise<Token>
  /** A phone that has the policy, and the device that it became. It talks by itself. */
  enrol(policyId: string, phone?: Partial<EnrolRequest>): Promise<Enrolled>
  createGroup(given?: Given): Promise<Group>
  assign(groupId: string, deviceIds: readonly string[]): Promise<Group>
  command(deviceId: string, body: Given): Promise<Command>
}
type Reading = {
  device(id: string): Promise<DeviceWithHistory>
  devices(query?: Record<string, string>): Promise<Device[]>
  /** The oldest first. */
  audit(action?: string): Promise<AuditEntry[]>
  /** The oldest first. */
  events(type?: string): Promise<EmittedEvent[]>
}
type Place = { org_id: string; user_ids: Record<Role, string>; tokens: Record<Role, string> }

export type Fleet = Place & Asking & Making & Reading

export const CALLBACK = 'https://console.example.com/devices/connected'

/** Without an enterprise yet. */
export async function createFleet(world: MdmWorld): Promise<Fleet> {
  const place = await openPlace(world.harness)
  const asking = askAt(world, place)
  const reading = readAt(world, place, asking)
  return { ...place, ...asking, ...reading, ...makeAt(world, asking, reading) }
}

/** With an enterprise and a policy that phones enrol with. */
export async function createReadyFleet(world: MdmWorld): Promise<Fleet & { policy_id: string }> {
  const fleet = await createFleet(world)
  await fleet.signUp()
  const { id } = await fleet.createPolicy()
  return { ...fleet, policy_id: id }
}

async function openPlace(harness: Harness): Promise<Place> {
  const { org_id } = await harness.createTenant()
  const user_ids: Partial<Record<Role, string>> = {}
  const tokens: Partial<Record<Role, string>> = {}
  for (const role of ROLES) {
    const token = await harness.signIn(org_id, role)
    const claims = await harness.services.accounts.verifyAccess(token)
    tokens[role] = token
    user_ids[role] = claims?.user_id ?? ''
  }
  return { org_id, user_ids: whole(user_ids), tokens: whole(tokens) }
}

const whole = (by: Partial<Record<Role, string>>): Record<Role, string> =>
  ({ ...by }) as Record<Role, string>

function askAt({ harness }: MdmWorld, { org_id, tokens }: Place): Asking {
  const ask = async <C>({ method = 'GET', path, query, body, as = 'owner' }: Ask) => {
    const search = new URLSearchParams({ org_id, ...query })
    return await harness.call<C>({
      method,
      path: `/v1/mdm${path}?${search.toString()}`,
      token: tokens[as],
      ...(body !== undefined && { body }),
    })
  }
  return {
    ask,
    content: async <C>(asked: Ask): Promise<C> => {
      const { status, body } = await ask<C>(asked)
      if (status !== 200) throw new Error(`${asked.path} answered ${status}: ${body.message}`)
      return body.content
    },
  }
}

function makeAt(world: MdmWorld, { content }: Asking, { device }: Reading): Making {
  const post = async <C>(path: string, body: unknown): Promise<C> =>
    await content({ method: 'POST', path, body })
  const createToken = async (policy_id: string, given: Given = {}): Promise<Token> =>
    await post('/enrollment-tokens', { policy_id, ...given })
  return {
    signUp: async (displayName = 'Stores') => {
      const signup = await post<Signup>('/enterprise/signup-url', { callback_url: CALLBACK })
      const made = await post<Enterprise>('/enterprise', completeSignup(world, signup, displayName))
      await world.settle()
      return made
    },
    createPolicy: async (given) => {
      const policy = { name: 'Tills', management_mode: 'fully_managed', ...given }
      const made = await post<Policy>('/policies', policy)
      await world.settle()
      return made
    },
    createToken,
    enrol: async (policyId, phone = {}) => {
      const { token_value } = await createToken(policyId)
      const serial_number = randomUUID()
      const enrolled = world.emulator.control.enrolPhone({
        token_value,
        serial_number,
        reaction_ms: 0,
        ...phone,
      })
      await world.settle()
      const { db } = world.harness.stores
      const named = db.selectFrom('mdm_devices').select('id')
      const { id } = await named
        .where('provider_name', '=', enrolled.device_name ?? '')
        .executeTakeFirstOrThrow()
      const { device: found } = await device(id)
      return { phone: world.emulator.control.getPhone(enrolled.id), device: found }
    },
    createGroup: async (given) => await post('/groups', { name: 'Bern', ...given }),
    assign: async (groupId, device_ids) => await post(`/groups/${groupId}/devices`, { device_ids }),
    command: async (deviceId, body) => await post(`/devices/${deviceId}/commands`, body),
  }
}

/** Goes through the page of the provider. @returns what the callback got */
export function completeSignup(
  { emulator }: Pick<MdmWorld, 'emulator'>,
  { signup_url_name }: Signup,
  display_name = 'Stores',
): { signup_url_name: string; enterprise_token: string } {
  const { redirect_url } = emulator.control.completeSignup(signup_url_name, { display_name })
  const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken') ?? ''
  return { signup_url_name, enterprise_token }
}

const ALL = { limit: '1000' }

function readAt({ harness }: MdmWorld, { org_id }: Place, { content }: Asking): Reading {
  return {
    device: async (id) => await content({ path: `/devices/${id}` }),
    devices: async (query) => {
      const path = '/devices'
      const page = await content<{ devices: Device[] }>({ path, query: { ...ALL, ...query } })
      return page.devices
    },
    audit: async (action) => {
      const query = { ...ALL, ...(action !== undefined && { action }) }
      const page = await content<{ entries: AuditEntry[] }>({ path: '/audit-log', query })
      return page.entries.toReversed()
    },
    events: async (type) => {
      const rows = await eventsOf(harness.stores.db, org_id)
      return rows
        .filter((row) => type === undefined || row.type === type)
        .map(({ body, mode }) => ({ ...(JSON.parse(body) as EmittedEvent), mode }))
    },
  }
}
