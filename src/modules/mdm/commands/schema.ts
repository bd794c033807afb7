/** Request and response schemas of commands (specification, "MDM resources" and "MDM"). */
import { type Static, Type } from 'typebox'
import { documented } from '../../../platform/http/documented.ts'
import { choice, maybe, nullable } from '../../../platform/http/schemas.ts'
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

/** https://developer.android.com/guide/topics/manifest/manifest-element#package */
export const PACKAGE_NAME = String.raw`^[A-Za-z]\w*(\.[A-Za-z]\w*)+$`

const EXAMPLE_CLEAR = { type: 'CLEAR_APP_DATA', package_names: ['com.example.till'] }

const PACKAGE = { minLength: 1, maxLength: 255 }
const PACKAGES = { maxItems: PACKAGES_MAX, description: 'Apps whose data is deleted' }
const new_password = Type.String({
  minLength: 1,
  maxLength: PASSWORD_MAX_CHARS,
  description: 'Without it, the passcode is cleared',
  'x-secret': true,
})

/** Other types do without parameters, so the document has three kinds of requests. */
const KINDS = {
  ClearAppDataRequest: {
    types: ['CLEAR_APP_DATA'],
    parameters: {
      package_names: Type.Array(Type.String({ ...PACKAGE, pattern: PACKAGE_NAME }), {
        ...PACKAGES,
        minItems: 1,
      }),
      new_password: Type.Optional(Type.Null()),
    },
  },
  ResetPasswordRequest: {
    types: ['RESET_PASSWORD'],
    parameters: {
      package_names: Type.Optional(Type.Null()),
      new_password: maybe(new_password),
    },
  },
  PlainCommandRequest: {
    types: COMMAND_TYPES.filter((type) => type !== 'CLEAR_APP_DATA' && type !== 'RESET_PASSWORD'),
    parameters: {
      package_names: Type.Optional(Type.Null()),
      new_password: Type.Optional(Type.Null()),
    },
  },
} as const

/** Parameters that the provider needs for a type are accepted with that type (OP-28). */
export const commandRequest = Type.Object(
  {
    type: choice(COMMAND_TYPES),
    package_names: Type.Optional(Type.Array(Type.String(PACKAGE), PACKAGES)),
    new_password: Type.Optional(new_password),
  },
  {
    $id: 'DeviceCommandRequest',
    examples: [{ type: 'LOCK' }, EXAMPLE_CLEAR],
    'x-open-point': 'OP-28',
    ...documented({
      type: undefined,
      properties: undefined,
      required: undefined,
      oneOf: Object.entries(KINDS).map(([$id, { types, parameters }]) =>
        Type.Object({ type: choice(types), ...parameters }, { $id }),
      ),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(
          Object.entries(KINDS).flatMap(([name, { types }]) =>
            types.map((type) => [type, `#/components/schemas/${name}`]),
          ),
        ),
      },
    }),
  },
)
export type CommandRequest = Static<typeof commandRequest>
