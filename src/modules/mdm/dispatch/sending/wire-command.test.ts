import { describe, expect, it } from 'vitest'
import {
  findMessageFault,
  readApiDescription,
} from '../../../../platform/google/api-description.ts'
import { COMMAND_TYPES, type CommandType } from '../../../../platform/postgres/tables/mdm.ts'
import { wireCommand } from './wire-command.ts'

const api = readApiDescription('android-management')
const commandOf = (type: CommandType) =>
  wireCommand(
    { type, parameters: type === 'CLEAR_APP_DATA' ? { package_names: ['com.example'] } : {} },
    { remaining_s: 604_799.2, new_password: type === 'RESET_PASSWORD' ? '824193' : undefined },
  )

describe('a command for the provider', () => {
  it.each(COMMAND_TYPES)('of type %s is one by the description of the API', (type) => {
    const fault = findMessageFault(api, 'Command', commandOf(type), { is_request: true }, '')
    expect(fault).toBeUndefined()
  })

  it('is valid for as long as ours is, not for the ten minutes of the default', () => {
    expect(commandOf('LOCK')).toEqual({ type: 'LOCK', duration: '604800s' })
  })

  it('is valid for a minute at the least', () => {
    const given = { remaining_s: 0.5, new_password: undefined }
    expect(wireCommand({ type: 'LOCK', parameters: {} }, given).duration).toBe('60s')
  })

  it('carries what its type needs and nothing else', () => {
    expect(commandOf('RESET_PASSWORD')).toMatchObject({ newPassword: '824193' })
    expect(commandOf('CLEAR_APP_DATA')).toMatchObject({
      clearAppsDataParams: { packageNames: ['com.example'] },
    })
  })
})
