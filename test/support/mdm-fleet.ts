/** An organization that manages phones, driven over HTTP. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { EnrollRequest, PhoneView } from '../../emulators/android-management/index.ts'
import type { Role } from '../../src/modules/accounts/tables.ts'
import type { AuditEntry } from '../../src/modules/mdm/audit/schema.ts'
import type { Command } from '../../src/modules/mdm/commands/schema.ts'
import type { Device, DeviceWithHistory } from '../../src/modules/mdm/devices/schema.ts'
import type { Enterprise, Signup } from '../../src/modules/mdm/enterprise/schema.ts'
import type { Group } from '../../src/modules/mdm/groups/schema.ts'
import type { Policy } from '../../src/modules/mdm/policies/schema.ts'
import type { Token } from '../../src/modules/mdm/tokens/schema.ts'
import type { Answer } from '../harness.ts'
import { eventsOf } from './books.ts'
import type { MdmWorld } from './mdm-world.ts'
import { createPeople, type People } from './people.ts'

export type FleetRequest = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The part of the path after `/v1/mdm`. */
  path: string
  query?: Record<string, string>
  body?: unknown
  /** Defaults to the owner. */
  as?: Role
}

export type Refusal = { field: string; retry_after: number }
export type JsonObject = Record<string, unknown>
export type Enrolled = { phone: PhoneView; device: Device }
export type EmittedEvent = { type: string; mode: string; data: JsonObject }

type Sending = {
  send<C = Refusal>(request: FleetRequest): Promise<Answer<C>>
  /** @throws Error unless the answer is 200 */
  content<C>(request: FleetRequest): Promise<C>
  /** Sends an invalid request. @returns the field that the error names */
  fieldOf(request: FleetRequest): Promise<string>
}
type Making = {
  signUp(displayName?: string): Promise<Enterprise>
  /** Creates a policy of fully managed devices unless `given` says otherwise. */
  createPolicy(given?: JsonObject): Promise<Policy>
  createToken(policyId: string, given?: JsonObject): Promise<Token>
  /** Enrolls a phone that reports on its own. */
  enroll(policyId: string, phone?: Partial<EnrollRequest>): Promise<Enrolled>
  createGroup(given?: JsonObject): Promise<Group>
  assign(groupId: string, deviceIds: readonly string[]): Promise<Group>
  command(deviceId: string, body: JsonObject): Promise<Command>
}
type Reading = {
  device(id: string): Promise<DeviceWithHistory>
  devices(query?: Record<string, string>): Promise<Device[]>
  /** Oldest first. */
  audit(action?: string): Promise<AuditEntry[]>
  /** Oldest first. */
  events(type?: string): Promise<EmittedEvent[]>
}
type Place = People & { org_id: string }

export const post = (path: string, body: unknown): FleetRequest => ({ method: 'POST', path, body })
export const patch = (path: string, body: unknown): FleetRequest => ({
  method: 'PATCH',
  path,
  body,
})
export const remove = (path: string): FleetRequest => ({ method: 'DELETE', path })

export type Fleet = Place & Sending & Making & Reading

export const CALLBACK = 'https://console.example.com/devices/connected'

/** Opens an organization without an enterprise. */
export async function createFleet(world: MdmWorld): Promise<Fleet> {
  const { org_id } = await world.harness.createTenant()
  const place = { org_id, ...(await createPeople(world.harness, org_id)) }
  const sending = sendAt(world, place)
  const reading = readAt(world, place, sending)
  return { ...place, ...sending, ...reading, ...makeAt(world, sending, reading) }
}

/** Opens an organization with an enterprise and a policy that phones enroll with. */
export async function createReadyFleet(world: MdmWorld): Promise<Fleet & { policy_id: string }> {
  const fleet = await createFleet(world)
  await fleet.signUp()
  const { id } = await fleet.createPolicy()
  return { ...fleet, policy_id: id }
}

function sendAt({ harness }: MdmWorld, { org_id, tokens }: Place): Sending {
  const send = async <C = Refusal>({
    method = 'GET',
    path,
    query,
    body,
    as = 'owner',
  }: FleetRequest) => {
    const search = new URLSearchParams({ org_id, ...query })
    return await harness.call<C>({
      method,
      path: `/v1/mdm${path}?${search.toString()}`,
      token: tokens[as],
      ...(body !== undefined && { body }),
    })
  }
  return {
    send,
    content: async <C>(request: FleetRequest): Promise<C> => {
      const { status, body } = await send<C>(request)
      if (status !== 200) throw new Error(`${request.path} answered ${status}: ${body.message}`)
      return body.content
    },
    fieldOf: async (request) => {
      const { status, body } = await send(request)
      expect(status, body.message).toBe(400)
      return body.content.field
    },
  }
}

function makeAt(world: MdmWorld, { content }: Sending, { device }: Reading): Making {
  const create = async <C>(path: string, body: unknown): Promise<C> =>
    await content(post(path, body))
  const createToken = async (policy_id: string, given: JsonObject = {}): Promise<Token> =>
    await create('/enrollment-tokens', { policy_id, ...given })
  return {
    signUp: async (displayName = 'Stores') => {
      const signup = await create<Signup>('/enterprise/signup-url', { callback_url: CALLBACK })
      const body = completeSignup(world, signup, displayName)
      const enterprise = await create<Enterprise>('/enterprise', body)
      await world.settle()
      return enterprise
    },
    createPolicy: async (given) => {
      const body = { name: 'Tills', management_mode: 'fully_managed', ...given }
      const policy = await create<Policy>('/policies', body)
      await world.settle()
      return policy
    },
    createToken,
    enroll: async (policyId, phone = {}) => {
      const { token_value } = await createToken(policyId)
      const serial_number = randomUUID()
      const enrolled = world.control.enrollPhone({
        token_value,
        serial_number,
        reaction_ms: 0,
        ...phone,
      })
      await world.settle()
      const { db } = world.harness.stores
      const { id } = await db
        .selectFrom('mdm_devices')
        .select('id')
        .where('provider_name', '=', enrolled.device_name ?? '')
        .executeTakeFirstOrThrow()
      const { device: found } = await device(id)
      return { phone: world.control.getPhone(enrolled.id), device: found }
    },
    createGroup: async (given) => await create('/groups', { name: 'Bern', ...given }),
    assign: async (groupId, device_ids) =>
      await create(`/groups/${groupId}/devices`, { device_ids }),
    command: async (deviceId, body) => await create(`/devices/${deviceId}/commands`, body),
  }
}

/** Completes the page of the provider. @returns the body of `POST /mdm/enterprise` */
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

function readAt({ harness }: MdmWorld, { org_id }: Place, { content }: Sending): Reading {
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
