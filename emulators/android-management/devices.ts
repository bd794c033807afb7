/** The device resources of the API: the requested state of a phone, and the one it reported last. */

import { invalid } from '../google-errors.ts'
import { type Core, getDevice, getEnterprise, idOf, wakePhone } from './core.ts'
import { readMask } from './masks.ts'
import { type Call, type Method, UNCHANGED } from './method.ts'
import { pageOf } from './paging.ts'
import { policyNameOf } from './policies.ts'
import type { Device, DeviceState, Json } from './resources.ts'

const WRITABLE = ['policyName', 'state', 'disabledReason']
const MAX_WIPE_REASON = 200

export const DEVICE_METHODS: Readonly<Record<string, Method>> = {
  'enterprises.devices.get': (core, { ids }) =>
    getDevice(core, ids[0] ?? '', ids[1] ?? '').resource,
  'enterprises.devices.list': (core, { ids, query }) => {
    const { page, ...rest } = pageOf(getEnterprise(core, ids[0] ?? '').devices.values(), query)
    return { devices: page.map(({ resource }) => resource), ...rest }
  },
  'enterprises.devices.patch': patchDevice,
  'enterprises.devices.delete': deleteDevice,
}

function patchDevice(core: Core, { ids, query, body }: Call): Device | typeof UNCHANGED {
  const enterprise = getEnterprise(core, ids[0] ?? '')
  const device = getDevice(core, enterprise.id, ids[1] ?? '')
  const mask = query.get('updateMask')
  const paths = mask === null ? WRITABLE.filter((name) => name in body) : readMask(mask)
  for (const path of paths) {
    if (WRITABLE.includes(path)) continue
    throw invalid(`Request contains an invalid argument. ${path} cannot be updated`)
  }
  const before = device.resource
  const after = { ...before }
  if (paths.includes('policyName')) {
    after.policyName = policyNameOf(enterprise, body['policyName'] as string | undefined)
  }
  if (paths.includes('state')) after.state = readState(body['state'])
  if (paths.includes('disabledReason')) {
    const reason = body['disabledReason'] as Json | undefined
    if (reason === undefined) delete after.disabledReason
    else after.disabledReason = reason
  }
  if (JSON.stringify(after) === JSON.stringify(before)) return UNCHANGED
  device.resource = after
  wakePhone(core, device.phone_id)
  return after
}

function readState(state: unknown): DeviceState {
  if (state === 'ACTIVE' || state === 'DISABLED') return state
  throw invalid('Request contains an invalid argument. state must be ACTIVE or DISABLED')
}

/** The phone is wiped at its next check-in. Until then, the API does not show the device. */
function deleteDevice(core: Core, { ids, query }: Call): Json {
  const enterprise = getEnterprise(core, ids[0] ?? '')
  const device = getDevice(core, enterprise.id, ids[1] ?? '')
  if ((query.get('wipeReasonMessage') ?? '').length > MAX_WIPE_REASON) {
    throw invalid(
      `Request contains an invalid argument. wipe_reason_message must be ${MAX_WIPE_REASON} characters or less`,
    )
  }
  const id = idOf(device.resource.name)
  enterprise.devices.delete(id)
  enterprise.deleted.set(id, device)
  wakePhone(core, device.phone_id)
  return {}
}
