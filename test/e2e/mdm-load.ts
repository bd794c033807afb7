/**
 * Simulated administrators: some send commands, delete and rename devices concurrently; one changes
 * groups and policies sequentially. One ledger records the responses of all of them.
 */
import { canonicalJson } from '../../src/platform/canonical-json.ts'
import { anyOf, weighed } from './chance.ts'
import { startClients } from './load.ts'
import { callMdm, policyJson, type Reply, type Setup, type Verb } from './mdm-client.ts'
import { type FleetLedger, track, tracked } from './mdm-ledger.ts'
import { pause } from './program.ts'
import type { Member } from './reviewer.ts'

export type FleetTargets = { urls: readonly string[]; member: Member; setup: Setup }

type Call = <Content>(at: readonly [Verb, string], body?: object) => Promise<Reply<Content>>
type Context = { call: Call; ledger: FleetLedger; setup: Setup; packageName: () => string }

const COMMANDERS = 3
const PAUSE_MS = 30
/** Commands per load; more would only wait longer to be sent. */
const COMMANDS_MAX = 400
/** The list of devices is refreshed after this number of requests. */
const REFRESH_AFTER = 15
const MINUTES_MAX = 200

/** @param name distinguishes the commands of this load from all others of the test */
export function startFleet(
  { urls, member, setup }: FleetTargets,
  ledger: FleetLedger,
  name: string,
): { stop(): Promise<void> } {
  let packages = 0
  const packageName = () => {
    packages += 1
    return `com.example.${name}.p${packages}`
  }
  const call: Call = async (at, body) => await callMdm(anyOf(urls) ?? '', member, at, body)
  const context: Context = { call, ledger, setup, packageName }
  const devices = createDeviceList(call)
  const isFull = () => packages > COMMANDS_MAX
  const commanders = startClients(COMMANDERS, async () => {
    await pause(PAUSE_MS)
    const id = anyOf(await devices())
    if (id !== undefined && !isFull()) await weighed(COMMANDER_ACTS)(context, id)
    return true
  })
  const manager = startClients(1, async () => {
    await pause(PAUSE_MS)
    if (!isFull()) await weighed(MANAGER_ACTS)(context, await devices())
    return true
  })
  return {
    stop: async () => {
      await Promise.all([commanders.stop(), manager.stop()])
    },
  }
}

/** Returns the ids of managed devices, which may be outdated by a few requests. */
function createDeviceList(call: Call): () => Promise<readonly string[]> {
  let ids: readonly string[] = []
  let requests = 0
  return async () => {
    requests += 1
    if (ids.length > 0 && requests % REFRESH_AFTER !== 0) return ids
    const reply = await call<{ devices: { id: string }[] }>(['GET', 'devices?limit=500'])
    if (reply.kind === 'done') ids = reply.content.devices.map(({ id }) => id)
    return ids
  }
}

type CommanderAct = (context: Context, deviceId: string) => Promise<void>

const command =
  (type: string, more: object = {}): CommanderAct =>
  async ({ call, ledger }, device_id) => {
    const path = `devices/${device_id}/commands`
    const reply = await call<{ id: string }>(['POST', path], { type, ...more })
    if (reply.kind === 'done') {
      ledger.commands.set(reply.content.id, { device_id, type, package_name: undefined })
    }
  }

const clearAppData: CommanderAct = async ({ call, ledger, packageName }, device_id) => {
  const package_name = packageName()
  const type = 'CLEAR_APP_DATA'
  const body = { type, package_names: [package_name] }
  const reply = await call<{ id: string }>(['POST', `devices/${device_id}/commands`], body)
  if (reply.kind === 'done') {
    ledger.commands.set(reply.content.id, { device_id, type, package_name })
  } else if (reply.kind === 'refused') ledger.refused.add(package_name)
  else ledger.open.add(package_name)
}

const rename: CommanderAct = async ({ call, ledger }, id) => {
  // A device is renamed only once, because the last one of two concurrent requests is unknown.
  if (ledger.names.get(id) !== undefined) return
  const name = `Till ${Math.floor(Math.random() * 1000)}`
  const record = track(ledger.names, id, name, null)
  record(await call(['PATCH', `devices/${id}`], { name }))
}

const remove: CommanderAct = async ({ call, ledger }, id) => {
  const reply = await call(['DELETE', `devices/${id}`])
  if (reply.kind === 'done') ledger.deletions.add(id)
}

const COMMANDER_ACTS: readonly (readonly [weight: number, act: CommanderAct])[] = [
  [55, clearAppData],
  [14, command('LOCK')],
  [10, command('REBOOT')],
  [8, command('RESET_PASSWORD', { new_password: '845172' })],
  [4, command('RESET_PASSWORD', { new_password: '1234' })],
  [1, command('WIPE')],
  [1, command('RELINQUISH_OWNERSHIP')],
  [6, rename],
  [1, remove],
]

type ManagerAct = (context: Context, devices: readonly string[]) => Promise<void>

const groupsOf = ({ groups }: FleetLedger): string[] =>
  [...groups].flatMap(([id, { acknowledged }]) => (acknowledged === undefined ? [] : [id]))

const assign: ManagerAct = async ({ call, ledger }, devices) => {
  const group = anyOf(groupsOf(ledger))
  const ids = new Set([anyOf(devices), anyOf(devices), anyOf(devices)].flatMap((id) => id ?? []))
  if (group === undefined || ids.size === 0) return
  const records = [...ids].map((id) => track(ledger.members, id, group, null))
  const reply = await call(['POST', `groups/${group}/devices`], { device_ids: [...ids] })
  for (const record of records) record(reply)
}

const changePolicy: ManagerAct = async ({ call, ledger, setup }) => {
  const policy = anyOf(setup.policies)
  if (policy === undefined) return
  const policy_json = policyJson(Math.floor(Math.random() * MINUTES_MAX))
  const initial = canonicalJson(policy.policy_json)
  const record = track(ledger.policies, policy.id, canonicalJson(policy_json), initial)
  record(await call(['PATCH', `policies/${policy.id}`], { policy_json }))
}

const changeGroupPolicy: ManagerAct = async ({ call, ledger, setup }) => {
  const group = anyOf(groupsOf(ledger))
  if (group === undefined) return
  const policy_id = anyOf([...setup.policies.map(({ id }) => id), null]) ?? null
  const record = track(ledger.groups, group, policy_id, null)
  record(await call(['PATCH', `groups/${group}`], { policy_id }))
}

const addGroup: ManagerAct = async ({ call, ledger, setup }) => {
  if (groupsOf(ledger).length >= GROUPS_MAX) return
  const policy_id = anyOf([setup.policies[0]?.id ?? null, null]) ?? null
  const reply = await call<{ id: string }>(['POST', 'groups'], { name: 'Tills', policy_id })
  if (reply.kind === 'done') ledger.groups.set(reply.content.id, tracked(policy_id))
}

const deleteGroup: ManagerAct = async ({ call, ledger }) => {
  const groups = groupsOf(ledger)
  const id = anyOf(groups)
  if (id === undefined || groups.length < GROUPS_MAX) return
  const members = [...ledger.members].filter(
    ([, { acknowledged, pending }]) => acknowledged === id || pending.has(id),
  )
  // No more requests use this group, because it may be deleted.
  ledger.groups.set(id, {
    acknowledged: undefined,
    pending: new Set([ledger.groups.get(id)?.acknowledged]),
  })
  for (const [, { pending }] of members) pending.add(null)
  const reply = await call(['DELETE', `groups/${id}`])
  if (reply.kind === 'done') {
    ledger.groups.set(id, tracked(undefined))
    for (const [device, { acknowledged, pending }] of members) {
      pending.delete(id)
      if (acknowledged === id) ledger.members.set(device, { acknowledged: null, pending })
    }
  }
}

const GROUPS_MAX = 4

const commandGroup: ManagerAct = async ({ call, ledger, packageName }) => {
  const group_id = anyOf(groupsOf(ledger))
  if (group_id === undefined) return
  const package_name = packageName()
  const body = { type: 'CLEAR_APP_DATA', package_names: [package_name] }
  const at = ['POST', `groups/${group_id}/commands`] as const
  const reply = await call<{ id: string; total: number }>(at, body)
  if (reply.kind === 'done') {
    const { id, total } = reply.content
    ledger.group_commands.set(id, { group_id, total, package_name })
  } else if (reply.kind === 'refused') ledger.refused.add(package_name)
  else ledger.open.add(package_name)
}

const addToken: ManagerAct = async ({ call, setup }) => {
  const policy = anyOf(setup.policies)
  if (!policy) return
  const body = { policy_id: policy.id, one_time: true, duration_hours: 1 }
  await call(['POST', 'enrollment-tokens'], body)
}

const MANAGER_ACTS: readonly (readonly [weight: number, act: ManagerAct])[] = [
  [40, assign],
  [15, changePolicy],
  [10, changeGroupPolicy],
  [8, addGroup],
  [2, deleteGroup],
  [15, commandGroup],
  [5, addToken],
]
