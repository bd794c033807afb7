import { describe, expect, it } from 'vitest'
import { COMMAND_TYPES } from '../../../platform/postgres/tables/mdm.ts'
import { type CommandDevice, faultOf, unfitnessOf } from './rules.ts'
import type { CommandRequest } from './schema.ts'

/** As the service asks: first whether the request is sound, then whether the device can take it. */
const refusalOf = (device: CommandDevice, request: CommandRequest) =>
  faultOf(request) ?? unfitnessOf(device, request.type)

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
const taken = (device: CommandDevice) =>
  COMMAND_TYPES.filter((type) => refusalOf(device, requestOf(type)) === undefined)

describe('a command is taken', () => {
  it('by the devices that can carry it out', () => {
    expect(taken(MANAGED)).toEqual(['LOCK', 'REBOOT', 'RESET_PASSWORD', 'CLEAR_APP_DATA', 'WIPE'])
    const ofProfiles = ['LOCK', 'RESET_PASSWORD', 'CLEAR_APP_DATA', 'WIPE']
    expect(taken(PERSONAL_PROFILE)).toEqual(ofProfiles)
    expect(taken(COMPANY_PROFILE).toSorted()).toEqual(
      [...ofProfiles, 'RELINQUISH_OWNERSHIP'].toSorted(),
    )
  })

  it('by no device that is gone or about to be', () => {
    expect(taken({ ...MANAGED, state: 'deleted' })).toEqual([])
    const going = { ...MANAGED, deletion_requested_at: new Date(0) }
    expect(taken(going)).toEqual([])
    expect(refusalOf(going, { type: 'LOCK' })?.field).toBe('device_id')
  })

  it('by Android versions that know it, and by those that are not known', () => {
    expect(taken({ ...MANAGED, api_level: 27 })).not.toContain('CLEAR_APP_DATA')
    expect(taken({ ...MANAGED, api_level: 23 })).not.toContain('REBOOT')
    expect(taken({ ...COMPANY_PROFILE, api_level: 25 })).not.toContain('RELINQUISH_OWNERSHIP')
    expect(taken({ ...MANAGED, api_level: null })).toEqual(taken(MANAGED))
  })
})

describe('a refusal', () => {
  it('says what fits instead', () => {
    const relinquish = { type: 'RELINQUISH_OWNERSHIP' } as const
    expect(refusalOf(PERSONAL_PROFILE, relinquish)).toEqual({
      field: 'type',
      message: expect.stringContaining('use WIPE, which removes only the work profile') as string,
    })
    expect(refusalOf(MANAGED, relinquish)?.message).toContain('use WIPE')
    expect(refusalOf(COMPANY_PROFILE, { type: 'REBOOT' })?.message).toContain('use LOCK')
  })

  it.each([
    ['package_names', { type: 'CLEAR_APP_DATA' }],
    ['package_names', { type: 'CLEAR_APP_DATA', package_names: [] }],
    ['package_names.1', { type: 'CLEAR_APP_DATA', package_names: ['com.a', 'not a package'] }],
    ['package_names.0', { type: 'CLEAR_APP_DATA', package_names: ['chrome'] }],
    ['package_names', { type: 'LOCK', ...PACKAGES }],
    ['new_password', { type: 'WIPE', new_password: '123456' }],
  ] as const)('names %s of %j', (field, request) => {
    const { type, ...rest } = request
    expect(refusalOf(MANAGED, { type, ...structuredClone(rest) } as never)?.field).toBe(field)
  })
})
