import { describe, expect, it } from 'vitest'
import {
  findMessageFault,
  readApiDescription,
} from '../../../../platform/google/api-description.ts'
import { COMMAND_TYPES, type CommandType } from '../../tables.ts'
import { wireCommand } from './wire-command.ts'

const api = readApiDescription('android-management')
const commandOf = (type: CommandType) =>
  wireCommand(
    { type, parameters: type === 'CLEAR_APP_DATA' ? { package_names: ['com.example'] } : {} },
    { remaining_s: 604_799.2, new_password: type === 'RESET_PASSWORD' ? '824193' : undefined },
  )

describe('a command for the provider', () => {
  it.each(COMMAND_TYPES)('of type %s conforms to the description of the API', (type) => {
    const fault = findMessageFault(api, 'Command', commandOf(type), { is_request: true })
    expect(fault).toBeUndefined()
  })

  it('is valid for as long as ours, not for the default of ten minutes', () => {
    expect(commandOf('LOCK')).toEqual({ type: 'LOCK', duration: '604800s' })
  })

  it('is valid for at least a minute', () => {
    const options = { remaining_s: 0.5, new_password: undefined }
    expect(wireCommand({ type: 'LOCK', parameters: {} }, options).duration).toBe('60s')
  })

  it('carries the members that its type needs', () => {
    expect(commandOf('RESET_PASSWORD')).toMatchObject({ newPassword: '824193' })
    expect(commandOf('CLEAR_APP_DATA')).toMatchObject({
      clearAppsDataParams: { packageNames: ['com.example'] },
    })
  })
})
