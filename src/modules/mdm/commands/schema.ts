/** Request and response schemas of commands (specification, "MDM resources" and "MDM"). */
import { type Static, Type } from 'typebox'
import { choice, nullable } from '../../../platform/http/schemas.ts'
import { COMMAND_STATUSES, COMMAND_TYPES } from '../tables.ts'

const EXAMPLE_COMMAND = {
  id: '0198c3a2-9d10-7aa1-8b0e-5c1f2a3b4d5e',
  device_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  group_command_id: null,
  type: 'LOCK',
  package_names: [],
  status: 'sent',
  error: null,
  created_at: '2026-03-01T12:00:00.000Z',
  sent_at: '2026-03-01T12:00:01.000Z',
  completed_at: null,
  expires_at: '2026-03-08T12:00:00.000Z',
}
const EXAMPLE_GROUP_COMMAND = {
  id: '0198c3a2-a1b2-7c3d-9a54-3f2b8e6d1c07',
  group_id: '0198c3a2-a000-7c3d-9a54-3f2b8e6d1c07',
  type: 'LOCK',
  total: 40,
  skipped: 2,
  queued: 10,
  sent: 5,
  acknowledged: 24,
  failed: 1,
  expired: 0,
  cancelled: 0,
  created_at: '2026-03-01T12:00:00.000Z',
}

const time = () => Type.String({ format: 'date-time' })
const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description !== undefined && { description }) })

export const command = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    device_id: Type.String({ format: 'uuid' }),
    group_command_id: nullable(Type.String({ format: 'uuid' })),
    type: choice(COMMAND_TYPES),
    package_names: Type.Array(Type.String()),
    status: choice(COMMAND_STATUSES),
    error: nullable(Type.String()),
    created_at: time(),
    sent_at: nullable(time()),
    completed_at: nullable(time()),
    expires_at: time(),
  },
  { $id: 'DeviceCommand', examples: [EXAMPLE_COMMAND], 'x-open-point': 'OP-77' },
)
export type Command = Static<typeof command>
export const commands = Type.Array(command)

export const groupCommand = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    group_id: Type.String({ format: 'uuid' }),
    type: choice(COMMAND_TYPES),
    total: count('Number of devices the command was created for'),
    skipped: count('Number of devices of the group that do not support the command'),
    queued: count(),
    sent: count(),
    acknowledged: count(),
    failed: count(),
    expired: count(),
    cancelled: count(),
    created_at: time(),
  },
  { $id: 'GroupCommand', examples: [EXAMPLE_GROUP_COMMAND], 'x-open-point': 'OP-77' },
)
export type GroupCommand = Static<typeof groupCommand>

const PACKAGES_MAX = 100
const PASSWORD_MAX_CHARS = 256

/** Parameters that the provider needs for a type are accepted with that type (OP-28). */
export const commandRequest = Type.Object(
  {
    type: choice(COMMAND_TYPES),
    package_names: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: PACKAGES_MAX,
        description: 'Required with CLEAR_APP_DATA, and only allowed there',
      }),
    ),
    new_password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PASSWORD_MAX_CHARS,
        description: 'Only allowed with RESET_PASSWORD; without it, the passcode is cleared',
        'x-secret': true,
      }),
    ),
  },
  {
    $id: 'DeviceCommandRequest',
    examples: [{ type: 'LOCK' }, { type: 'CLEAR_APP_DATA', package_names: ['com.example.till'] }],
    'x-open-point': 'OP-28',
  },
)
export type CommandRequest = Static<typeof commandRequest>
