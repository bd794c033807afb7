import { describe, expect, it } from 'vitest'
import { COMMAND_TYPES } from '../tables.ts'
import { type CommandDevice, findDeviceFault, findRequestFault } from './rules.ts'
import type { CommandRequest } from './schema.ts'

/** The service checks the request first, and then the device. */
const faultOf = (device: CommandDevice, request: CommandRequest) =>
  findRequestFault(request) ?? findDeviceFault(device, request.type)

const MANAGED: CommandDevice = {
  state: 'active',
  deletion_requested_at: null,
  management_mode: 'fully_managed',
  ownership: 'company_owned',
  api_level: 36,
}
const COMPANY_PROFILE: CommandDevice = { ...MANAGED, management_mode: 'work_profile' }
const PERSONAL_PROFILE: CommandDevice = { ...COMPANY_PROFILE, ownership: 'personally_owned' }
const PACKAGES = { package_names: ['com.example.till'] }

const requestOf = (type: (typeof COMMAND_TYPES)[number]) =>
  type === 'CLEAR_APP_DATA' ? { type, ...PACKAGES } : { type }
const accepted = (device: CommandDevice) =>
  COMMAND_TYPES.filter((type) => faultOf(device, requestOf(type)) === undefined)

describe('a command is accepted', () => {
  it('by the devices that support it', () => {
    expect(accepted(MANAGED)).toEqual([
      'LOCK',
      'REBOOT',
      'RESET_PASSWORD',
      'CLEAR_APP_DATA',
      'WIPE',
    ])
    const ofProfiles = ['LOCK', 'RESET_PASSWORD', 'CLEAR_APP_DATA', 'WIPE']
    expect(accepted(PERSONAL_PROFILE)).toEqual(ofProfiles)
    expect(accepted(COMPANY_PROFILE).toSorted()).toEqual(
      [...ofProfiles, 'RELINQUISH_OWNERSHIP'].toSorted(),
    )
  })

  it('by no device that is deleted or being deleted', () => {
    expect(accepted({ ...MANAGED, state: 'deleted' })).toEqual([])
    const leaving = { ...MANAGED, deletion_requested_at: new Date(0) }
    expect(accepted(leaving)).toEqual([])
    expect(faultOf(leaving, { type: 'LOCK' })?.field).toBe('device_id')
  })

  it('by Android versions that support it, and by unknown versions', () => {
    expect(accepted({ ...MANAGED, api_level: 27 })).not.toContain('CLEAR_APP_DATA')
    expect(accepted({ ...MANAGED, api_level: 23 })).not.toContain('REBOOT')
    expect(accepted({ ...COMPANY_PROFILE, api_level: 25 })).not.toContain('RELINQUISH_OWNERSHIP')
    expect(accepted({ ...MANAGED, api_level: null })).toEqual(accepted(MANAGED))
  })
})

describe('a refusal', () => {
  it('suggests an alternative', () => {
    const relinquish = { type: 'RELINQUISH_OWNERSHIP' } as const
    expect(faultOf(PERSONAL_PROFILE, relinquish)).toEqual({
      field: 'type',
      message: expect.stringContaining('use WIPE, which removes only the work profile') as string,
    })
    expect(faultOf(MANAGED, relinquish)?.message).toContain('use WIPE')
    expect(faultOf(COMPANY_PROFILE, { type: 'REBOOT' })?.message).toContain('use LOCK')
  })

  it.each([
    ['package_names', { type: 'CLEAR_APP_DATA' }],
    ['package_names', { type: 'CLEAR_APP_DATA', package_names: [] }],
    ['package_names.1', { type: 'CLEAR_APP_DATA', package_names: ['com.a', 'not a package'] }],
    ['package_names.0', { type: 'CLEAR_APP_DATA', package_names: ['chrome'] }],
    ['package_names', { type: 'LOCK', ...PACKAGES }],
    ['new_password', { type: 'WIPE', new_password: '123456' }],
  ] as const)('names the field %s of %j', (field, request) => {
    const { type, ...rest } = request
    expect(faultOf(MANAGED, { type, ...structuredClone(rest) } as never)?.field).toBe(field)
  })
})
